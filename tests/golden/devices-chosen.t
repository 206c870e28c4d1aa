Devices by name, in any spelling.

  $ paleo devices h200 "Tesla T4" K80
  Dense peaks in TFLOP/s per dtype, boost clock in GHz, TDP in W, compute capability (cc); '-': none or unknown

  name  title                           f32   tf32    f16   bf16     fp8    int8  GB/s    GiB  cache MiB  SMs    GHz    W   cc
  ----------------------------------------------------------------------------------------------------------------------------
  h200  NVIDIA H200 SXM 141 GB        66.90  494.7  989.4  989.4  1978.9  1978.9  4800  141.0      60.00  132  1.980  700  9.0
  t4    NVIDIA Tesla T4                8.10      -   65.0      -       -   130.0   320   15.0       4.00   40  1.590   70  7.5
  k80   NVIDIA Tesla K80 (both dies)   5.60      -      -      -       -       -   480   22.5       3.00   26  0.560  300  3.7

  h200: NVIDIA H200 datasheet; NVIDIA H100 architecture whitepaper (L2 of the full chip: all six memory stacks are in use)
  t4: NVIDIA T4 datasheet; NVIDIA Turing architecture whitepaper
  k80: original Paleo; NVIDIA Tesla K80 board specification (560 MHz base clock, both dies; a program sees one die at a time: k80-die)

All are listed by name:

  $ paleo devices --format csv | sed 1d | cut -d, -f1 | LC_ALL=C sort -c
