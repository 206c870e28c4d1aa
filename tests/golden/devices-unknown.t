Names that are no device, and those that are near them.

  $ paleo devices rtx-3070
  Dense peaks in TFLOP/s per dtype, boost clock in GHz, TDP in W, compute capability (cc); '-': none or unknown

  name      title                      f32  tf32   f16  bf16   int8  GB/s  GiB  cache MiB  SMs    GHz    W   cc
  -------------------------------------------------------------------------------------------------------------
  rtx-3070  NVIDIA GeForce RTX 3070  20.30  20.3  40.6  40.6  162.6   448  8.0       4.00   46  1.725  220  8.6

  rtx-3070: NVIDIA Ampere GA102 architecture whitepaper (f16 with f32 accumulation)
  $ paleo devices H100
  2> paleo-devices: device 'H100' is ambiguous: h100-pcie, h100-sxm, h100-nvl
  [2]
  $ paleo devices rtx
  2> paleo-devices: device 'rtx' is ambiguous: rtx-2060, rtx-2070, rtx-2070-super, rtx-2080, rtx-2080-super, quadro-rtx-4000, quadro-rtx-5000, quadro-rtx-6000, quadro-rtx-8000, rtx-3050, rtx-3060-ti, rtx-3070-ti, rtx-a2000, rtx-a2000-12, rtx-a4500, rtx-a5500, rtx-4060-ti, rtx-4070-super
  [2]
  $ paleo devices a100_sxm
  2> paleo-devices: device 'a100_sxm' is ambiguous: a100-40-sxm, a100-80-sxm
  [2]
  $ paleo devices gb200_sxm
  2> paleo-devices: unknown device 'gb200_sxm' ('paleo devices' lists all, docs/reference/devices.md describes how to add one)
  [2]
  $ paleo devices nvidia
  2> paleo-devices: unknown device 'nvidia' ('paleo devices' lists all, docs/reference/devices.md describes how to add one)
  [2]
