Published steps of training.

  $ paleo simulate --case recompute,llama3
  case       model            plan                                      device       workers  batch  published  predicted  unit     error %  step s  MFU %  memory GB  source
  -----------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------
  recompute  gpt-22b          tp8+mb4+full                              a100-80-sxm        8      4       1.42       1.39  s           -2.2    1.39   33.0       50.6  Korthikanti et al. 2022, table 5
  recompute  gpt-22b          tp8+sp+mb4+selective                      a100-80-sxm        8      4       1.10       0.98  s          -11.0    0.98   46.8       54.4  Korthikanti et al. 2022, table 5
  recompute  gpt-175b         tp8+pp8+v3+full                           a100-80-sxm       64     64      18.13      17.37  s           -4.2   17.37   40.7       51.9  Korthikanti et al. 2022, table 5
  recompute  gpt-175b         tp8+sp+pp8+v3+selective                   a100-80-sxm       64     64      13.75      12.46  s           -9.4   12.46   56.7       57.8  Korthikanti et al. 2022, table 5
  recompute  gpt-530b         tp8+pp35+v3+full                          a100-80-sxm      280    280      49.05      45.86  s           -6.5   45.86   46.2       45.5  Korthikanti et al. 2022, table 5
  recompute  gpt-530b         tp8+sp+pp35+v3+selective                  a100-80-sxm      280    280      37.83      33.69  s          -10.9   33.69   62.9       56.5  Korthikanti et al. 2022, table 5
  recompute  gpt-1t           tp8+pp64+full                             a100-80-sxm      512    512      94.42      91.48  s           -3.1   91.48   44.0       49.4  Korthikanti et al. 2022, table 5
  recompute  gpt-1t           tp8+sp+pp64+selective                     a100-80-sxm      512    512      71.49      67.73  s           -5.3   67.73   59.4       62.1  Korthikanti et al. 2022, table 5
  llama3     llama-405b       tp8+sp+exposed+pp16+v8+zero1              h100-sxm        8192   2048     430.00     505.97  TFLOP/s     17.7   10.63   51.1       89.3  Llama Team 2024, table 4
  llama3     llama-405b       tp8+sp+exposed+pp16+v8+zero1              h100-sxm       16384   2048     400.00     468.89  TFLOP/s     17.2    5.73   47.4       82.0  Llama Team 2024, table 4
  llama3     llama-405b-128k  tp8+sp+exposed+cp16+gather+pp16+v8+zero1  h100-sxm       16384    128     380.00     539.46  TFLOP/s     42.0   10.76   54.5       82.0  Llama Team 2024, table 4
  $ paleo simulate --case megatron
  case      model     plan           device       workers  batch  published  predicted  unit                        error %  step s  MFU %  memory GB  source
  ------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------
  megatron  gpt-1.7b  dp+full        a100-80-sxm       32    512     137.00     153.63  TFLOP/s with recomputation     12.1    3.15   37.5       27.5  Narayanan et al. 2021, tables 1 and 2
  megatron  gpt-3.6b  tp2+full       a100-80-sxm       64    512     138.00     147.90  TFLOP/s with recomputation      7.2    3.45   35.9       29.4  Narayanan et al. 2021, tables 1 and 2
  megatron  gpt-7.5b  tp4+full       a100-80-sxm      128    512     142.00     129.90  TFLOP/s with recomputation     -8.5    4.04   31.4       30.9  Narayanan et al. 2021, tables 1 and 2
  megatron  gpt-18b   tp8+full       a100-80-sxm      256   1024     135.00     126.41  TFLOP/s with recomputation     -6.4   10.04   30.5       38.4  Narayanan et al. 2021, tables 1 and 2
  megatron  gpt-39b   tp8+pp2+full   a100-80-sxm      512   1536     138.00     142.89  TFLOP/s with recomputation      3.5   13.96   34.4       41.7  Narayanan et al. 2021, tables 1 and 2
  megatron  gpt-76b   tp8+pp4+full   a100-80-sxm     1024   1792     140.00     157.31  TFLOP/s with recomputation     12.4   14.29   37.9       42.1  Narayanan et al. 2021, tables 1 and 2
  megatron  gpt-146b  tp8+pp8+full   a100-80-sxm     1536   2304     148.00     160.65  TFLOP/s with recomputation      8.5   22.86   38.7       42.5  Narayanan et al. 2021, tables 1 and 2
  megatron  gpt-175b  tp8+pp12+full  a100-80-sxm      384   1536     153.00     168.90  TFLOP/s with recomputation     10.4   69.55   40.6       36.0  Narayanan et al. 2021, tables 1 and 2
  megatron  gpt-310b  tp8+pp16+full  a100-80-sxm     1920   2160     155.00     170.85  TFLOP/s with recomputation     10.2   34.12   41.1       48.0  Narayanan et al. 2021, tables 1 and 2
  megatron  gpt-530b  tp8+pp35+full  a100-80-sxm     2520   2520     163.00     178.41  TFLOP/s with recomputation      9.5   49.41   42.9       42.6  Narayanan et al. 2021, tables 1 and 2
  megatron  gpt-1t    tp8+pp64+full  a100-80-sxm     3072   3072     163.00     182.28  TFLOP/s with recomputation     11.8   91.77   43.8       49.4  Narayanan et al. 2021, tables 1 and 2
  $ paleo simulate --case megatron,firecaffe
  2> paleo-simulate: the tables of megatron, recompute and llama3, of training and of the other cases have different columns: name the cases of one
  [2]
