/* Cost of a training job: time and rent on 1, 2, 4 and 8 GPUs, as in table training_job.
   Texts are in pipeline/website/pages/calculators/job_calculator.py. */
(() => {
  "use strict";
  const { gettext, formulas, calculator, calculators, calculatorTables, numbers: { day, duration, number, usd } } = window.gpuledger;
  const COUNTS = [1, 2, 4, 8];

  function epochTime(gpu) {
    if (gpu.seconds === null) return gettext("no time known, enter yours");
    if (gpu.basis === "measured") return gettext("EfficientNet B7 on 2,136 images, measured");
    return gettext("EfficientNet B7 on 2,136 images, predicted from {number} timed GPUs", { number: gpu.n_timed });
  }

  function rent(gpu) {
    if (gpu.median_usd === null) return gettext("no current offer, enter yours");
    return gpu.n_offers === 1 ? gettext("the one current on-demand offer, {day}", { day: day(gpu.median_date) })
      : gettext("median of {offers} current on-demand offers, newest {day}", { offers: number(gpu.n_offers), day: day(gpu.median_date) });
  }

  function copied(gpu) {
    return {
      seconds: { value: gpu.seconds, from: epochTime(gpu) },
      rent: { value: gpu.median_usd, from: rent(gpu) },
      link: { value: gpu.interconnect, from: gpu.interconnect === null ? gettext("not known for this GPU") : gettext("likely for this GPU") },
    };
  }

  const efficiency = (link, network, count) => (count === 1 ? 1 : calculatorTables().efficiency
    .find((one) => one.interconnect === link && one.network === network && one.gpu_count === count)?.efficiency ?? null);

  /* Inputs as in the form; one row per GPU count, and the lowest count that ends in time. */
  function trainingJob({ epochs, seconds, rent: usdPerGpuHour, within, link, network }) {
    const rows = COUNTS.map((gpus) => {
      const share = efficiency(link, network, gpus);
      const time = formulas.timeToTrainS(epochs, seconds, gpus, share);
      return { gpus, share, time, usd: formulas.costToTrainUsd(epochs, seconds, gpus, share, usdPerGpuHour) };
    });
    const hours = rows[0].time === null ? null : rows[0].time / 3600;
    return { rows, enough: formulas.gpusWithinHours(hours, within, ...rows.slice(1).map((row) => row.share)) };
  }

  const span = (seconds) => (seconds < 172800 ? duration(seconds) : gettext("{days} days", { days: number(seconds / 86400, 3) }));

  function outcome({ time, usd: cost }) {
    if (time === null) return gettext("not known");
    return cost === null ? gettext("{time} on one GPU, cost not known", { time: span(time) }) : gettext("{cost} and {time} on one GPU", { cost: usd(cost), time: span(time) });
  }

  function inTime({ within }, { rows, enough }) {
    const values = { hours: number(within), gpus: enough };
    if (rows[0].time === null) return gettext("The time of an epoch is not known for this GPU. Enter yours.");
    if (enough === null) return gettext("Within {hours} hours: 8 GPUs are not enough, or their scaling is not known.", values);
    if (enough === 1) return gettext("Within {hours} hours: one GPU is enough.", values);
    const row = rows.find((one) => one.gpus === enough);
    const figures = { ...values, time: span(row.time), cost: usd(row.usd) };
    return row.usd === null ? gettext("Within {hours} hours: {gpus} GPUs, {time}.", figures) : gettext("Within {hours} hours: {gpus} GPUs, {time}, {cost}.", figures);
  }

  /* A copied predicted time has a range; a time that the reader entered has none. */
  function interval({ rows: [{ time, usd: cost }] }, gpu, asCopied) {
    if (!asCopied || gpu === null || gpu.seconds_high === null || time === null) return "";
    const [low, high] = [gpu.seconds_low, gpu.seconds_high].map((end) => end / gpu.seconds);
    const figures = { low: span(time * low), high: span(time * high), least: usd(cost === null ? null : cost * low), most: usd(cost === null ? null : cost * high) };
    return cost === null ? gettext("The time is a rough prediction: {low} to {high}.", figures)
      : gettext("The time is a rough prediction: {low} to {high}, {least} to {most}.", figures);
  }

  function arithmetic({ epochs, seconds, rent: price }, { gpus, share, time, usd: cost }) {
    if (share === null) return gettext("Scaling to {gpus} GPUs over this link was not measured.", { gpus });
    if (time === null) return "";
    const figures = {
      epochs: number(epochs), seconds: number(seconds), gpus, share: number(100 * share, 3), hours: number(time / 3600), price: usd(price), cost: usd(cost),
    };
    return cost === null ? gettext("{epochs} × {seconds} s / ({gpus} × {share}%) = {hours} h", figures)
      : gettext("{epochs} × {seconds} s / ({gpus} × {share}%) = {hours} h; × {gpus} × {price} = {cost}", figures);
  }

  function row(values, counted) {
    const { gpus, share, time, usd: cost } = counted;
    const texts = {
      share: share === null ? gettext("not known") : `${number(100 * share, 3)}%`,
      time: time === null ? gettext("not known") : span(time),
      cost: cost === null ? gettext("not known") : usd(cost),
      arithmetic: arithmetic(values, counted),
    };
    return Object.fromEntries(Object.entries(texts).map(([name, text]) => [`${name}-${gpus}`, text]));
  }

  function texts(values, gpu, asCopied) {
    const counted = trainingJob(values);
    return Object.assign({
      outcome: outcome(counted.rows[0]), within: inTime(values, counted), interval: interval(counted, gpu, asCopied("seconds")),
    }, ...counted.rows.map((one) => row(values, one)));
  }

  calculators.trainingJob = trainingJob;
  calculator("training-job", { copied, texts });
})();
