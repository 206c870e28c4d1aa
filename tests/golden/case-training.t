Published steps of training.

  $ paleo simulate --case recompute,llama3
  case       model            plan                                      device       workers  batch  published  predicted  unit     error %  step s  MFU %  memory GB  source
  -----------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------
  recompute  gpt-22b          tp8+mb4+full                              a100-80-sxm        8      4       1.42       1.33  s           -6.6    1.33   34.6       50.6  Korthikanti et al. 2022, table 5
  recompute  gpt-22b          tp8+sp+mb4+selective                      a100-80-sxm        8      4       1.10       0.93  s          -15.7    0.93   49.4       54.4  Korthikanti et al. 2022, table 5
  recompute  gpt-175b         tp8+pp8+v3+full                           a100-80-sxm       64     64      18.13      16.72  s           -7.8   16.72   42.3       51.9  Korthikanti et al. 2022, table 5
  recompute  gpt-175b         tp8+sp+pp8+v3+selective                   a100-80-sxm       64     64      13.75      11.92  s          -13.3   11.92   59.3       57.8  Korthikanti et al. 2022, table 5
  recompute  gpt-530b         tp8+pp35+v3+full                          a100-80-sxm      280    280      49.05      44.74  s           -8.8   44.74   47.4       45.5  Korthikanti et al. 2022, table 5
  recompute  gpt-530b         tp8+sp+pp35+v3+selective                  a100-80-sxm      280    280      37.83      32.78  s          -13.4   32.78   64.7       56.5  Korthikanti et al. 2022, table 5
  recompute  gpt-1t           tp8+pp64+full                             a100-80-sxm      512    512      94.42      89.71  s           -5.0   89.71   44.8       49.4  Korthikanti et al. 2022, table 5
  recompute  gpt-1t           tp8+sp+pp64+selective                     a100-80-sxm      512    512      71.49      66.29  s           -7.3   66.29   60.7       62.1  Korthikanti et al. 2022, table 5
  llama3     llama-405b       tp8+sp+exposed+pp16+v8+zero1              h100-sxm        8192   2048     430.00     520.13  TFLOP/s     21.0   10.34   52.6       89.3  Llama Team 2024, table 4
  llama3     llama-405b       tp8+sp+exposed+pp16+v8+zero1              h100-sxm       16384   2048     400.00     481.65  TFLOP/s     20.4    5.58   48.7       82.0  Llama Team 2024, table 4
  llama3     llama-405b-128k  tp8+sp+exposed+cp16+gather+pp16+v8+zero1  h100-sxm       16384    128     380.00     547.18  TFLOP/s     44.0   10.61   55.3       82.0  Llama Team 2024, table 4
  $ paleo simulate --case megatron
  case      model     plan           device       workers  batch  published  predicted  unit                        error %  step s  MFU %  memory GB  source
  ------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------
  megatron  gpt-1.7b  dp+full        a100-80-sxm       32    512     137.00     153.56  TFLOP/s with recomputation     12.1    3.15   37.5       27.5  Narayanan et al. 2021, tables 1 and 2
  megatron  gpt-3.6b  tp2+full       a100-80-sxm       64    512     138.00     153.29  TFLOP/s with recomputation     11.1    3.33   37.2       29.4  Narayanan et al. 2021, tables 1 and 2
  megatron  gpt-7.5b  tp4+full       a100-80-sxm      128    512     142.00     136.70  TFLOP/s with recomputation     -3.7    3.84   33.1       30.9  Narayanan et al. 2021, tables 1 and 2
  megatron  gpt-18b   tp8+full       a100-80-sxm      256   1024     135.00     134.32  TFLOP/s with recomputation     -0.5    9.45   32.4       38.4  Narayanan et al. 2021, tables 1 and 2
  megatron  gpt-39b   tp8+pp2+full   a100-80-sxm      512   1536     138.00     150.32  TFLOP/s with recomputation      8.9   13.27   36.2       41.7  Narayanan et al. 2021, tables 1 and 2
  megatron  gpt-76b   tp8+pp4+full   a100-80-sxm     1024   1792     140.00     164.45  TFLOP/s with recomputation     17.5   13.67   39.6       42.1  Narayanan et al. 2021, tables 1 and 2
  megatron  gpt-146b  tp8+pp8+full   a100-80-sxm     1536   2304     148.00     166.75  TFLOP/s with recomputation     12.7   22.03   40.1       42.5  Narayanan et al. 2021, tables 1 and 2
  megatron  gpt-175b  tp8+pp12+full  a100-80-sxm      384   1536     153.00     175.40  TFLOP/s with recomputation     14.6   66.97   42.2       36.0  Narayanan et al. 2021, tables 1 and 2
  megatron  gpt-310b  tp8+pp16+full  a100-80-sxm     1920   2160     155.00     175.92  TFLOP/s with recomputation     13.5   33.14   42.3       48.0  Narayanan et al. 2021, tables 1 and 2
  megatron  gpt-530b  tp8+pp35+full  a100-80-sxm     2520   2520     163.00     182.78  TFLOP/s with recomputation     12.1   48.23   44.0       42.6  Narayanan et al. 2021, tables 1 and 2
  megatron  gpt-1t    tp8+pp64+full  a100-80-sxm     3072   3072     163.00     185.86  TFLOP/s with recomputation     14.0   90.00   44.7       49.4  Narayanan et al. 2021, tables 1 and 2
  $ paleo simulate --case megatron,firecaffe
  2> paleo-simulate: the tables of megatron, recompute and llama3, of training and of the other cases have different columns: name the cases of one
  [2]
