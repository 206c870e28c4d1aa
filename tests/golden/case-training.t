Published steps of training.

  $ paleo simulate --case recompute,llama3
  case       model            plan                                      device       workers  batch  published  predicted  unit     error %  step s  MFU %  memory GB  source
  -----------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------
  recompute  gpt-22b          tp8+mb4+full                              a100-80-sxm        8      4       1.42       1.39  s           -2.2    1.39   33.0       50.6  Korthikanti et al. 2022, table 5
  recompute  gpt-22b          tp8+sp+mb4+selective                      a100-80-sxm        8      4       1.10       0.98  s          -11.1    0.98   46.8       54.4  Korthikanti et al. 2022, table 5
  recompute  gpt-175b         tp8+pp8+v3+full                           a100-80-sxm       64     64      18.13      17.36  s           -4.3   17.36   40.7       51.9  Korthikanti et al. 2022, table 5
  recompute  gpt-175b         tp8+sp+pp8+v3+selective                   a100-80-sxm       64     64      13.75      12.45  s           -9.5   12.45   56.8       57.8  Korthikanti et al. 2022, table 5
  recompute  gpt-530b         tp8+pp35+v3+full                          a100-80-sxm      280    280      49.05      45.81  s           -6.6   45.81   46.3       45.5  Korthikanti et al. 2022, table 5
  recompute  gpt-530b         tp8+sp+pp35+v3+selective                  a100-80-sxm      280    280      37.83      33.65  s          -11.0   33.65   63.0       56.5  Korthikanti et al. 2022, table 5
  recompute  gpt-1t           tp8+pp64+full                             a100-80-sxm      512    512      94.42      91.38  s           -3.2   91.38   44.0       49.4  Korthikanti et al. 2022, table 5
  recompute  gpt-1t           tp8+sp+pp64+selective                     a100-80-sxm      512    512      71.49      67.66  s           -5.4   67.66   59.5       62.1  Korthikanti et al. 2022, table 5
  llama3     llama-405b       tp8+sp+exposed+pp16+v8+zero1              h100-sxm        8192   2048     430.00     506.59  TFLOP/s     17.8   10.61   51.2       89.3  Llama Team 2024, table 4
  llama3     llama-405b       tp8+sp+exposed+pp16+v8+zero1              h100-sxm       16384   2048     400.00     469.45  TFLOP/s     17.4    5.73   47.4       82.0  Llama Team 2024, table 4
  llama3     llama-405b-128k  tp8+sp+exposed+cp16+gather+pp16+v8+zero1  h100-sxm       16384    128     380.00     539.80  TFLOP/s     42.1   10.75   54.6       82.0  Llama Team 2024, table 4
  $ paleo simulate --case megatron
  case      model     plan           device       workers  batch  published  predicted  unit                        error %  step s  MFU %  memory GB  source
  ------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------
  megatron  gpt-1.7b  dp+full        a100-80-sxm       32    512     137.00     153.56  TFLOP/s with recomputation     12.1    3.15   37.5       27.5  Narayanan et al. 2021, tables 1 and 2
  megatron  gpt-3.6b  tp2+full       a100-80-sxm       64    512     138.00     147.83  TFLOP/s with recomputation      7.1    3.45   35.9       29.4  Narayanan et al. 2021, tables 1 and 2
  megatron  gpt-7.5b  tp4+full       a100-80-sxm      128    512     142.00     129.94  TFLOP/s with recomputation     -8.5    4.04   31.4       30.9  Narayanan et al. 2021, tables 1 and 2
  megatron  gpt-18b   tp8+full       a100-80-sxm      256   1024     135.00     126.41  TFLOP/s with recomputation     -6.4   10.04   30.5       38.4  Narayanan et al. 2021, tables 1 and 2
  megatron  gpt-39b   tp8+pp2+full   a100-80-sxm      512   1536     138.00     143.01  TFLOP/s with recomputation      3.6   13.95   34.5       41.7  Narayanan et al. 2021, tables 1 and 2
  megatron  gpt-76b   tp8+pp4+full   a100-80-sxm     1024   1792     140.00     157.45  TFLOP/s with recomputation     12.5   14.28   37.9       42.1  Narayanan et al. 2021, tables 1 and 2
  megatron  gpt-146b  tp8+pp8+full   a100-80-sxm     1536   2304     148.00     160.80  TFLOP/s with recomputation      8.6   22.84   38.7       42.5  Narayanan et al. 2021, tables 1 and 2
  megatron  gpt-175b  tp8+pp12+full  a100-80-sxm      384   1536     153.00     169.06  TFLOP/s with recomputation     10.5   69.48   40.7       36.0  Narayanan et al. 2021, tables 1 and 2
  megatron  gpt-310b  tp8+pp16+full  a100-80-sxm     1920   2160     155.00     171.04  TFLOP/s with recomputation     10.3   34.09   41.1       48.0  Narayanan et al. 2021, tables 1 and 2
  megatron  gpt-530b  tp8+pp35+full  a100-80-sxm     2520   2520     163.00     178.60  TFLOP/s with recomputation      9.6   49.36   43.0       42.6  Narayanan et al. 2021, tables 1 and 2
  megatron  gpt-1t    tp8+pp64+full  a100-80-sxm     3072   3072     163.00     182.48  TFLOP/s with recomputation     12.0   91.67   43.9       49.4  Narayanan et al. 2021, tables 1 and 2
  $ paleo simulate --case megatron,firecaffe
  2> paleo-simulate: the tables of megatron, recompute and llama3, of training and of the other cases have different columns: name the cases of one
  [2]
