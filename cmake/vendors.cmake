# vendors.cmake - finds cJSON, zlib, and the vendor libraries of the plug-ins.
#
# Sets PALEO_CPU_FOUND (then there is DNNL::dnnl), PALEO_CUDA_FOUND (CUDALibraries::all and
# CUDNN::cudnn), PALEO_MPI_FOUND (MPI::MPI_C) and PALEO_NCCL_FOUND (NCCL::nccl). A missing vendor
# library is no fault: one line says so.

find_package(CJSON REQUIRED QUIET)
find_package(ZLIB REQUIRED QUIET)

# Where Python keeps NVIDIA's libraries, if someone installed them there.
file(GLOB PALEO_WHEELS
	$ENV{VIRTUAL_ENV}/lib/python3*/site-packages/nvidia
	$ENV{CONDA_PREFIX}/lib/python3*/site-packages/nvidia
	$ENV{HOME}/.local/lib/python3*/site-packages/nvidia
	/usr/local/lib/python3*/*-packages/nvidia
	/opt/*/lib/python3*/site-packages/nvidia)

# paleo_vendor(CPU "what is needed" DNNL oneDNN ...) finds the packages, each followed by the name that
# people know, unless PALEO_CPU is OFF; says in one line what came of it, and sets PALEO_CPU_FOUND
# and DNNL_VERSION.
function(paleo_vendor name needed)
	set(PALEO_${name}_FOUND FALSE PARENT_SCOPE)
	if("${PALEO_${name}}" STREQUAL OFF)
		message(STATUS "${name} plug-in: not built (PALEO_${name}=OFF)")
		return()
	endif()
	set(versions)
	while(ARGN)
		list(POP_FRONT ARGN package known_as)
		find_package(${package} ${PALEO_${package}_MINIMUM} QUIET)
		if(NOT ${package}_FOUND)
			if("${PALEO_${name}}" STREQUAL ON)
				message(FATAL_ERROR "PALEO_${name}=ON, but ${needed} was not found")
			endif()
			message(STATUS "${name} plug-in: not built (no ${needed}; all else works)")
			return()
		endif()
		if(NOT ${package}_VERSION) # FindMPI knows one for each language
			set(${package}_VERSION ${${package}_C_VERSION})
		endif()
		set(${package}_VERSION ${${package}_VERSION} PARENT_SCOPE)
		list(APPEND versions "${known_as} ${${package}_VERSION}")
	endwhile()
	list(JOIN versions ", " versions)
	message(STATUS "${name} plug-in: ${versions}")
	set(PALEO_${name}_FOUND TRUE PARENT_SCOPE)
endfunction()

paleo_vendor(CPU "oneDNN, Debian's libdnnl-dev" DNNL oneDNN)
# Libraries of kernels in the runtime; devices that are only described.
set(PALEO_CUDALibraries_MINIMUM 12.8)
set(PALEO_CUDNN_MINIMUM 9.8)
paleo_vendor(CUDA "CUDA toolkit 12.8 or newer with cuDNN 9.8 or newer" CUDALibraries CUDA CUDNN cuDNN)

# Both measure links between workers, and few machines have them.
paleo_vendor(MPI "MPI for C, Debian's libopenmpi-dev" MPI MPI)
paleo_vendor(NCCL "NCCL" NCCL NCCL)
