# table.awk - a table of made-up times of a V100, for calibrate, validate and study: products, convolutions,
# sums of two and softmaxes, each a share of the datasheet's peak and up to a fifth off.
# SPDX-License-Identifier: Apache-2.0
function off(i) {
	return exp((i * 37 % 48 / 23.5 - 1) * 0.18)
}
BEGIN {
	OFS = ","
	print "gpu,op,direction,dtype,m,n,k,c,h,w,r,s,pad_h,pad_w,stride_h,stride_w,rows,cols,algo,note,time_ms"
	for (i = 0; i < 96; i++) {
		dtype = i < 48 ? "fp32" : "fp16"
		peak = i < 48 ? 14e12 : 112e12
		m = 512 * (1 + i % 2)
		n = 128 * (1 + int(i / 2) % 4)
		k = 256 * (1 + int(i / 8) % 6)
		ms = off(i) * (0.02 + 2 * m * n * k / (0.6 * peak) * 1e3)
		print "V100_PCIE,gemm,fwd", dtype, m, n, k, ",,,,,,,,,,,,", sprintf("%.6f", ms)
	}
	for (i = 0; i < 60; i++) {
		n = 1 + i % 8
		c = 32 * (1 + i % 7)
		k = 64 * (1 + i % 3)
		h = 14 + 7 * (i % 4)
		ms = off(i) * (0.02 + 2 * n * h * h * c * k * 9 / 7e12 * 1e3)
		print "V100_PCIE,conv2d,fwd,fp32,", n, k, c, h, h, "3,3,1,1,1,1,,,,", sprintf("%.6f", ms)
	}
	for (i = 1; i <= 30; i++)
		print "V100_PCIE,elementwise,fwd,fp32,,,,,,,,,,,,", 512 * i, "4096,add,nin=2",
			sprintf("%.6f", off(i) * (0.005 + 512 * i * 4096 * 12 / 0.8e12 * 1e3))
	for (i = 1; i <= 30; i++)
		print "V100_PCIE,softmax,fwd,fp32,,,,,,,,,,,,", 256 * i, "1000,,",
			sprintf("%.6f", off(i) * (0.006 + 256 * i * 1000 * 8 / 0.7e12 * 1e3))
}
