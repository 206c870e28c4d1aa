"""Spack's recipe of paleo; it builds the sources it lies in: see packaging/README.md."""
# SPDX-License-Identifier: Apache-2.0
from spack.package import *


class Paleo(CMakePackage, CudaPackage):
    """Predicts and measures how long neural networks take, layer by layer."""

    license("Apache-2.0")

    version("0.2.0")

    variant("cpu", default=True, description="measure processors, by oneDNN")
    variant("cuda", default=False, description="measure NVIDIA GPUs, by cuDNN and cuBLASLt")
    variant("mpi", default=False, description="measure links between hosts, by MPI")
    variant("nccl", default=False, when="+cuda", description="measure links between GPUs, by NCCL")

    depends_on("c", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("uthash", type="build")
    depends_on("cjson")
    depends_on("zlib-api")
    depends_on("onednn@2:3", when="+cpu")
    depends_on("cuda@12:", when="+cuda")
    depends_on("cudnn@9:", when="+cuda")
    depends_on("mpi", when="+mpi")
    depends_on("nccl", when="+nccl")

    def cmake_args(self):
        plugins = ("cpu", "cuda", "mpi", "nccl")
        args = [
            self.define(f"PALEO_{name.upper()}", "ON" if self.spec.satisfies(f"+{name}") else "OFF")
            for name in plugins
        ]
        args.append(self.define("BUILD_TESTING", False))
        if self.spec.satisfies("+cuda"):
            args.append(self.define("PALEO_CUDNN_ROOT", self.spec["cudnn"].prefix))
        return args
