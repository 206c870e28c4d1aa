# vendor.cmake - what the CPU plug-in needs: oneDNN, as DNNL::dnnl.
paleo_vendor(CPU "oneDNN, Debian's libdnnl-dev" DNNL oneDNN)
