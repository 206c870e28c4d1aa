/* predict.c - an example of libpaleo: how long a training step of a net takes on a device. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <paleo/paleo.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	const struct paleo_predictor_options on = {.device = argc > 2 ? argv[2] : "h100-sxm"};
	struct paleo_predictor *predictor = NULL;
	struct paleo_net *net = NULL;
	struct paleo_net_prediction *prediction = NULL;
	struct paleo_predicted_total step;
	struct paleo_error err;

	int rc = paleo_net_open(argc > 1 ? argv[1] : "resnet50", 0, &net, &err);
	if (!rc)
		rc = paleo_predictor_open(&on, &predictor, &err);
	if (!rc)
		rc = paleo_net_predict(predictor, net, NULL, &prediction, &err);
	if (rc)
		fprintf(stderr, "%s\n", err.text);
	else if (!paleo_net_prediction_total(prediction, PALEO_TOTAL_STEP, &step))
		printf("%s, batch %d: %.3f ms, 90 %%: %.3f to %.3f ms\n", paleo_net_title(net),
		       paleo_net_batch(net), 1e3 * step.time.total_s, 1e3 * step.time.low_s,
		       1e3 * step.time.high_s);
	paleo_net_prediction_close(prediction);
	paleo_predictor_close(predictor);
	paleo_net_close(net);
	return rc ? 1 : 0;
}
