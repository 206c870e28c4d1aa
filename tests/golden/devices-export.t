Predictions of a device as the input of other programs.

AIConfigurator's table of GEMMs: its columns, in milliseconds; both dtypes of the grid.

  $ paleo devices h100-sxm --export aiconfigurator >h100.csv
  2> h100-sxm, fp8: published benchmarks, stack trtllm, nothing measured here: h100-sxm (13104 rows of aiconfigurator TRTLLM-1.3.0rc20); then h100-sxm, another stack (9000 rows of aiconfigurator vllm-0.24.0); for the rest the median over all GPUs
  $ sed -n 1,3p h100.csv
  framework,version,device,op_name,kernel_source,gemm_dtype,m,n,k,latency,trans
  paleo,0.2.0,h100-sxm,gemm,predicted,bfloat16,1,32,32,0.0027344872804741095,NT
  paleo,0.2.0,h100-sxm,gemm,predicted,bfloat16,1,32,64,0.002770980050063848,NT
  $ awk -F, '$7 == 4096 && $8 == 4096 && $9 == 4096' h100.csv
  paleo,0.2.0,h100-sxm,gemm,predicted,bfloat16,4096,4096,4096,0.17627436724127193,NT
  paleo,0.2.0,h100-sxm,gemm,predicted,fp8,4096,4096,4096,0.14848186959517307,NT
  $ awk -F, 'NR > 1 { n[$6]++ } END { for (dtype in n) print dtype, n[dtype] }' h100.csv | sort
  bfloat16 11616
  fp8 11616

Read back, it is what presets predict.

  $ paleo validate --cost-model presets --format csv h100.csv 2>/dev/null | columns what,name,dtype,count,median,mean |
  > 	awk -F, '$1 == "class" { print $2, $3, $4, ($5 < 1e-9 && $6 < 1e-9 ? "as predicted" : "median " $5) }'
  gemm bf16 11616 as predicted
  gemm fp8 11616 as predicted

Its tables of attention, of prompts and of one new token, likewise.

  $ for part in context generation; do
  > 	paleo devices h100-sxm --export aiconfigurator_$part >$part.csv 2>notes
  > 	sed -n 1,3p $part.csv
  > 	paleo validate --cost-model presets --format csv $part.csv 2>/dev/null | columns what,name,dtype,count,median,mean |
  > 		awk -F, '$1 == "class" { print $2, $3, $4, ($5 < 1e-9 && $6 < 1e-9 ? "as predicted" : "median " $5) }'
  > done
  framework,version,device,op_name,kernel_source,batch_size,isl,num_heads,num_key_value_heads,head_dim,beam_width,attn_dtype,kv_cache_dtype,step,latency
  paleo,0.2.0,h100-sxm,context_attention,predicted,1,16,4,1,128,1,bfloat16,bfloat16,0,0.013971079427907524
  paleo,0.2.0,h100-sxm,context_attention,predicted,1,16,4,1,128,1,bfloat16,fp8,0,0.016935894652730592
  attention bf16 7728 as predicted
  framework,version,device,op_name,kernel_source,batch_size,isl,num_heads,num_key_value_heads,head_dim,beam_width,attn_dtype,kv_cache_dtype,step,latency
  paleo,0.2.0,h100-sxm,generation_attention,predicted,1,1,4,1,128,1,bfloat16,bfloat16,1,0.008871535319159456
  paleo,0.2.0,h100-sxm,generation_attention,predicted,1,1,4,1,128,1,bfloat16,fp8,1,0.006658345291150072
  attention.decode bf16 16836 as predicted

Without kernel_source nothing says that a latency is in milliseconds.

  $ sed 's/kernel_source/kernel/' h100.csv | sed 2q >unknown.csv
  $ paleo validate --cost-model presets unknown.csv
  2> paleo-validate: unknown.csv:1: there is no column of time: 'time_ms', 'time_us', 'time_s', 'tflops' or 'gflops' (commas separate columns, and docs/reference/tables.md lists them)
  [2]

A GPU without fp8 has the other dtype alone, and one without either no such table.

  $ paleo devices a100-80-sxm --export aiconfigurator 2>/dev/null | columns gemm_dtype | sort | uniq -c | sed 's/^ *//'
  11616 bfloat16
  1 gemm_dtype
  $ paleo devices t4 --export aiconfigurator
  2> paleo-devices: device 't4' has no peak FLOP/s for bf16, and AIConfigurator's tables have no wider dtype: export another device
  [2]

A system of Calculon: shares of the peaks by GFLOP and MB.

  $ paleo devices t4 --export calculon
  {
    "matrix": {
      "float16": {
        "tflops": 65,
        "gflops_efficiency": [[8796.093022, 0.327789], [1099.511628, 0.332423], [137.438953, 0.400958], [17.179869, 0.609674], [2.147484, 0.656222], [0.268435, 0.424214], [0.033554, 0.144989], [0.004194, 0.024061], [0, 0.003226]]
      },
      "float32": {
        "tflops": 8.1,
        "gflops_efficiency": [[8796.093022, 0.2617], [1099.511628, 0.37801], [137.438953, 0.413446], [17.179869, 0.43189], [2.147484, 0.590604], [0.268435, 0.630161], [0.033554, 0.325188], [0.004194, 0.084768], [0, 0.013835]]
      }
    },
    "vector": {
      "float16": {
        "tflops": 8.1,
        "gflops_efficiency": [[0, 1]]
      },
      "float32": {
        "tflops": 8.1,
        "gflops_efficiency": [[0, 1]]
      }
    },
    "mem1": {
      "GiB": 15,
      "GBps": 320,
      "MB_efficiency": [[1073.74182, 0.779979], [268.435452, 0.779852], [67.10886, 0.778976], [16.777212, 0.77398], [4.1943, 0.956176], [1.048572, 1], [0.26214, 0.270709], [0.065532, 0.068177], [0.01638, 0.017059], [0, 0.004262]]
    },
    "mem2": {
      "GiB": 0,
      "GBps": 1,
      "MB_efficiency": [[0, 1]]
    },
    "processing_mode": "roofline",
    "networks": [{
        "bandwidth": 15.753846,
        "efficiency": 1,
        "size": 8,
        "latency": 5.7e-06,
        "ops": {
          "p2p": [1, null],
          "reduce_scatter": [1, -1],
          "all_gather": [1, -1],
          "all_reduce": [2, -1]
        },
        "must_be_filled": true,
        "processor_usage": 0
      }]
  }
  2> t4, f16: published benchmarks, nothing measured here: the median over all GPUs
  2> t4, f32: published benchmarks, nothing measured here: t4 (2000 rows of neusight torch-p2.1.0/cudnn-8902/cu121); for the rest the median over all GPUs
  2> t4, f32: published benchmarks, nothing measured here: t4 (2000 rows of neusight torch-p2.1.0/cudnn-8902/cu121); for the rest the median over all GPUs

Other formats, devices and lists.

  $ paleo devices h100-sxm --export csv
  2> paleo-devices: --export is 'csv', expected one of aiconfigurator, aiconfigurator_context, aiconfigurator_generation, calculon
  [2]
  $ paleo devices xyzzy --export calculon
  2> paleo-devices: unknown device 'xyzzy' ('paleo devices' lists all, docs/reference/devices.md describes how to add one)
  [2]
  $ paleo devices --export calculon
  2> paleo-devices: --export takes one device, for example h100-sxm (see --help)
  [2]
  $ paleo devices t4 l4 --export calculon
  2> paleo-devices: --export takes one device, for example h100-sxm (see --help)
  [2]
  $ paleo devices t4 --export calculon --format csv
  2> paleo-devices: --export takes no --format (see --help)
  [2]
  $ echo '{"devices": [{"name": "bare", "flop_per_s": {"f32": 14e12}, "mem_bytes_per_s": 9e11}]}' >bare.json
  $ paleo devices bare --device-file bare.json --export calculon
  2> paleo-devices: device 'bare' lacks its peak FLOP/s in f32, its bandwidth or its memory, which a system of Calculon needs: add them in a --device-file
  [2]
