summary says what a file has that its net does not count.

A text tower of 2 layers, next to one of pictures.

  $ mkdir model; cd model
  $ layers='"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2'
  $ cat > config.json <<END
  > {"model_type": "clip", "architectures": ["CLIPModel"],
  >  "text_config": {"model_type": "clip_text_model", $layers, "vocab_size": 100, "max_position_embeddings": 28},
  >  "vision_config": {"model_type": "clip_vision_model", $layers, "image_size": 32, "patch_size": 8}}
  > END
  $ paleo summary config.json | head -3
  config, batch 1, 27 layers, 21,248 parameters
  weights 0.000 GB, 17,152 of them active
  the text part alone, 47 % of the weights: vision_config, with 23,936 weights, is left out

The bytes of the index next to a config.json: 23,840 weights of 2 bytes, and 2 and 4 % more.

  $ cat > config.json <<END
  > {"model_type": "llama", $layers, "vocab_size": 100, "torch_dtype": "bfloat16", "tie_word_embeddings": true}
  > END
  $ echo '{"metadata": {"total_size": 48600}, "weight_map": {}}' > model.safetensors.index.json
  $ paleo summary config.json | grep index
  [1]
  $ echo '{"metadata": {"total_size": 49600}, "weight_map": {}}' > model.safetensors.index.json
  $ paleo summary config.json | grep index
  weights of 0.000 GB, but the checkpoint's index has 0.000 GB, 4 % more

  $ echo '{"_class_name": "UNet2DConditionModel", "act_fn": "silu"}' > unet.json
  $ paleo summary unet.json
  2> paleo-summary: unet.json:1:1: neither a net file, which has 'layers', nor a transformer's config.json, which has 'model_type': take an ONNX export of the model
  [2]
