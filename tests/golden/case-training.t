Published steps of training.

  $ paleo simulate --case recompute,llama3
  case       model            plan                              device       workers  batch  published  predicted  unit     error %  step s  MFU %  memory GB  source
  ---------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------
  recompute  gpt-22b          tp8+mb4+full                      a100-80-sxm        8      4       1.42       1.39  s           -2.2    1.39   33.0       50.6  Korthikanti et al. 2022, table 5
  recompute  gpt-22b          tp8+sp+mb4+selective              a100-80-sxm        8      4       1.10       0.98  s          -11.1    0.98   46.8       54.4  Korthikanti et al. 2022, table 5
  recompute  gpt-175b         tp8+pp8+v3+full                   a100-80-sxm       64     64      18.13      17.18  s           -5.2   17.18   41.1       51.9  Korthikanti et al. 2022, table 5
  recompute  gpt-175b         tp8+sp+pp8+v3+selective           a100-80-sxm       64     64      13.75      12.27  s          -10.8   12.27   57.6       57.8  Korthikanti et al. 2022, table 5
  recompute  gpt-530b         tp8+pp35+v3+full                  a100-80-sxm      280    280      49.05      45.27  s           -7.7   45.27   46.8       45.5  Korthikanti et al. 2022, table 5
  recompute  gpt-530b         tp8+sp+pp35+v3+selective          a100-80-sxm      280    280      37.83      33.11  s          -12.5   33.11   64.0       56.5  Korthikanti et al. 2022, table 5
  recompute  gpt-1t           tp8+pp64+full                     a100-80-sxm      512    512      94.42      90.27  s           -4.4   90.27   44.6       49.4  Korthikanti et al. 2022, table 5
  recompute  gpt-1t           tp8+sp+pp64+selective             a100-80-sxm      512    512      71.49      66.55  s           -6.9   66.55   60.4       62.1  Korthikanti et al. 2022, table 5
  llama3     llama-405b       tp8+sp+pp16+v8+zero1              h100-sxm        8192   2048     430.00     575.10  TFLOP/s     33.7    9.35   58.1       89.3  Llama Team 2024, table 4
  llama3     llama-405b       tp8+sp+pp16+v8+zero1              h100-sxm       16384   2048     400.00     530.93  TFLOP/s     32.7    5.06   53.7       82.0  Llama Team 2024, table 4
  llama3     llama-405b-128k  tp8+sp+cp16+gather+pp16+v8+zero1  h100-sxm       16384    128     380.00     575.27  TFLOP/s     51.4   10.09   58.1       82.0  Llama Team 2024, table 4
  $ paleo simulate --case megatron
  case      model     plan           device       workers  batch  published  predicted  unit                        error %  step s  MFU %  memory GB  source
  ------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------
  megatron  gpt-1.7b  dp+full        a100-80-sxm       32    512     137.00     154.84  TFLOP/s with recomputation     13.0    3.12   37.8       27.5  Narayanan et al. 2021, tables 1 and 2
  megatron  gpt-3.6b  tp2+full       a100-80-sxm       64    512     138.00     149.04  TFLOP/s with recomputation      8.0    3.42   36.2       29.4  Narayanan et al. 2021, tables 1 and 2
  megatron  gpt-7.5b  tp4+full       a100-80-sxm      128    512     142.00     130.90  TFLOP/s with recomputation     -7.8    4.01   31.7       30.9  Narayanan et al. 2021, tables 1 and 2
  megatron  gpt-18b   tp8+full       a100-80-sxm      256   1024     135.00     127.34  TFLOP/s with recomputation     -5.7    9.97   30.7       38.4  Narayanan et al. 2021, tables 1 and 2
  megatron  gpt-39b   tp8+pp2+full   a100-80-sxm      512   1536     138.00     144.21  TFLOP/s with recomputation      4.5   13.83   34.8       41.7  Narayanan et al. 2021, tables 1 and 2
  megatron  gpt-76b   tp8+pp4+full   a100-80-sxm     1024   1792     140.00     158.97  TFLOP/s with recomputation     13.5   14.14   38.3       42.1  Narayanan et al. 2021, tables 1 and 2
  megatron  gpt-146b  tp8+pp8+full   a100-80-sxm     1536   2304     148.00     162.43  TFLOP/s with recomputation      9.7   22.61   39.1       42.5  Narayanan et al. 2021, tables 1 and 2
  megatron  gpt-175b  tp8+pp12+full  a100-80-sxm      384   1536     153.00     170.79  TFLOP/s with recomputation     11.6   68.78   41.1       36.0  Narayanan et al. 2021, tables 1 and 2
  megatron  gpt-310b  tp8+pp16+full  a100-80-sxm     1920   2160     155.00     172.95  TFLOP/s with recomputation     11.6   33.71   41.6       48.0  Narayanan et al. 2021, tables 1 and 2
  megatron  gpt-530b  tp8+pp35+full  a100-80-sxm     2520   2520     163.00     180.73  TFLOP/s with recomputation     10.9   48.78   43.5       42.6  Narayanan et al. 2021, tables 1 and 2
  megatron  gpt-1t    tp8+pp64+full  a100-80-sxm     3072   3072     163.00     184.71  TFLOP/s with recomputation     13.3   90.57   44.4       49.4  Narayanan et al. 2021, tables 1 and 2
  $ paleo simulate --case megatron,firecaffe
  2> paleo-simulate: the tables of megatron, recompute and llama3, of training and of the other cases have different columns: name the cases of one
  [2]
