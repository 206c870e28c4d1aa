Published steps of training.

  $ paleo simulate --case recompute,llama3
  case       model            plan                                      device       workers  batch  published  predicted  unit     error %  step s  MFU %  memory GB  source
  -----------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------
  recompute  gpt-22b          tp8+mb4+full                              a100-80-sxm        8      4       1.42       1.33  s           -6.6    1.33   34.6       50.6  Korthikanti et al. 2022, table 5
  recompute  gpt-22b          tp8+sp+mb4+selective                      a100-80-sxm        8      4       1.10       0.93  s          -15.7    0.93   49.4       54.4  Korthikanti et al. 2022, table 5
  recompute  gpt-175b         tp8+pp8+v3+full                           a100-80-sxm       64     64      18.13      16.55  s           -8.7   16.55   42.7       51.9  Korthikanti et al. 2022, table 5
  recompute  gpt-175b         tp8+sp+pp8+v3+selective                   a100-80-sxm       64     64      13.75      11.74  s          -14.6   11.74   60.2       57.8  Korthikanti et al. 2022, table 5
  recompute  gpt-530b         tp8+pp35+v3+full                          a100-80-sxm      280    280      49.05      44.20  s           -9.9   44.20   48.0       45.5  Korthikanti et al. 2022, table 5
  recompute  gpt-530b         tp8+sp+pp35+v3+selective                  a100-80-sxm      280    280      37.83      32.23  s          -14.8   32.23   65.8       56.5  Korthikanti et al. 2022, table 5
  recompute  gpt-1t           tp8+pp64+full                             a100-80-sxm      512    512      94.42      88.60  s           -6.2   88.60   45.4       49.4  Korthikanti et al. 2022, table 5
  recompute  gpt-1t           tp8+sp+pp64+selective                     a100-80-sxm      512    512      71.49      65.18  s           -8.8   65.18   61.7       62.1  Korthikanti et al. 2022, table 5
  llama3     llama-405b       tp8+sp+exposed+pp16+v8+zero1              h100-sxm        8192   2048     430.00     523.38  TFLOP/s     21.7   10.27   52.9       89.3  Llama Team 2024, table 4
  llama3     llama-405b       tp8+sp+exposed+pp16+v8+zero1              h100-sxm       16384   2048     400.00     484.57  TFLOP/s     21.1    5.55   49.0       82.0  Llama Team 2024, table 4
  llama3     llama-405b-128k  tp8+sp+exposed+cp16+gather+pp16+v8+zero1  h100-sxm       16384    128     380.00     548.92  TFLOP/s     44.5   10.58   55.5       82.0  Llama Team 2024, table 4
  $ paleo simulate --case megatron
  case      model     plan           device       workers  batch  published  predicted  unit                        error %  step s  MFU %  memory GB  source
  ------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------
  megatron  gpt-1.7b  dp+full        a100-80-sxm       32    512     137.00     154.84  TFLOP/s with recomputation     13.0    3.12   37.8       27.5  Narayanan et al. 2021, tables 1 and 2
  megatron  gpt-3.6b  tp2+full       a100-80-sxm       64    512     138.00     154.59  TFLOP/s with recomputation     12.0    3.30   37.5       29.4  Narayanan et al. 2021, tables 1 and 2
  megatron  gpt-7.5b  tp4+full       a100-80-sxm      128    512     142.00     137.76  TFLOP/s with recomputation     -3.0    3.81   33.3       30.9  Narayanan et al. 2021, tables 1 and 2
  megatron  gpt-18b   tp8+full       a100-80-sxm      256   1024     135.00     135.36  TFLOP/s with recomputation      0.3    9.37   32.7       38.4  Narayanan et al. 2021, tables 1 and 2
  megatron  gpt-39b   tp8+pp2+full   a100-80-sxm      512   1536     138.00     151.65  TFLOP/s with recomputation      9.9   13.15   36.5       41.7  Narayanan et al. 2021, tables 1 and 2
  megatron  gpt-76b   tp8+pp4+full   a100-80-sxm     1024   1792     140.00     166.11  TFLOP/s with recomputation     18.6   13.53   40.0       42.1  Narayanan et al. 2021, tables 1 and 2
  megatron  gpt-146b  tp8+pp8+full   a100-80-sxm     1536   2304     148.00     168.50  TFLOP/s with recomputation     13.9   21.80   40.5       42.5  Narayanan et al. 2021, tables 1 and 2
  megatron  gpt-175b  tp8+pp12+full  a100-80-sxm      384   1536     153.00     177.26  TFLOP/s with recomputation     15.9   66.27   42.6       36.0  Narayanan et al. 2021, tables 1 and 2
  megatron  gpt-310b  tp8+pp16+full  a100-80-sxm     1920   2160     155.00     177.94  TFLOP/s with recomputation     14.8   32.76   42.8       48.0  Narayanan et al. 2021, tables 1 and 2
  megatron  gpt-530b  tp8+pp35+full  a100-80-sxm     2520   2520     163.00     185.01  TFLOP/s with recomputation     13.5   47.65   44.5       42.6  Narayanan et al. 2021, tables 1 and 2
  megatron  gpt-1t    tp8+pp64+full  a100-80-sxm     3072   3072     163.00     188.18  TFLOP/s with recomputation     15.4   88.90   45.3       49.4  Narayanan et al. 2021, tables 1 and 2
  $ paleo simulate --case megatron,firecaffe
  2> paleo-simulate: the tables of megatron, recompute and llama3, of training and of the other cases have different columns: name the cases of one
  [2]
