convert --phase test leaves out what is for training.

  $ paleo convert --phase test $source/tests/data/caffe/phases.prototxt
  {
    "name": "phases",
    "layers": {
      "data": {
        "type": "Input",
        "parents": [],
        "tensor": [10, 8, 8, 1]
      },
      "fc": {
        "type": "InnerProduct",
        "parents": ["data"],
        "num_outputs": 4
      },
      "high": {
        "type": "Sigmoid",
        "parents": ["fc"]
      },
      "staged": {
        "type": "Tanh",
        "parents": ["high"]
      },
      "loss": {
        "type": "Softmax",
        "parents": ["staged"]
      },
      "accuracy": {
        "type": "Accuracy",
        "parents": ["staged"]
      }
    }
  }
