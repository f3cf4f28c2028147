/* Power, power supply and slots of a system of one to eight GPUs, as in table system_build.
   Texts are in pipeline/website/pages/calculators/system_calculator.py. */
(() => {
  "use strict";
  const { gettext, formulas, calculator, calculators, calculatorTables, numbers: { number, usd } } = window.gpuledger;

  function width(gpu) {
    if (gpu.slot_width !== null) return gettext("of this GPU");
    return gpu.is_module ? gettext("a module without a slot") : gettext("not known, enter it");
  }

  const copied = (gpu) => ({
    tdp: { value: gpu.tdp_w, from: gpu.tdp_w === null ? gettext("not known, enter it") : gettext("power limit of this GPU") },
    width: { value: gpu.slot_width, from: width(gpu) },
  });

  /* Inputs as in the form, use in percent; null is unknown. */
  function system({ gpus, tdp, width: slots, connectors, host, use, kwh, grid }, memoryGb) {
    const { gpus_per_host_w } = calculatorTables().given[0];
    const machine = formulas.machineW(gpus, tdp, host, gpus_per_host_w);
    const electricity = formulas.electricityKwhPerYear(machine, use / 100);
    const times = (value) => (value === null ? null : gpus * value);
    return {
      memory: times(memoryGb), gpu_power: times(tdp), machine, hosts: Math.ceil(gpus / gpus_per_host_w), psu: formulas.psuW(gpus, tdp),
      guide: formulas.psuGuideW(gpus, tdp), slots: times(slots), most: formulas.maxGpusInSlots(connectors, slots),
      electricity, power: electricity === null ? null : electricity * kwh, co2: formulas.co2Kg(electricity, grid),
    };
  }

  /* The figure with its unit and its arithmetic, or the reason why it is unknown. */
  const line = (value, figure, arithmetic, why) => (value === null ? [gettext("not known"), why] : [figure, arithmetic]);
  const watts = (value) => gettext("{value} W", { value: number(value) });

  function powerLines({ gpus, tdp, host, use, kwh, grid }, { gpu_power, machine, hosts, psu, guide, electricity, power, co2 }) {
    const why = gettext("The power limit of this GPU is not known. Enter it.");
    const values = { gpus, tdp: number(tdp), hosts, host: number(host), use: number(use), kwh: usd(kwh), grid: number(grid) };
    Object.assign(values, { electricity: number(electricity), kilowatts: number(machine === null ? null : machine / 1000), co2: number(co2) });
    return {
      gpu_power: line(gpu_power, watts(gpu_power), gettext("{gpus} × {tdp} W", values), why),
      machine: line(machine, watts(machine), gettext("{gpus} × {tdp} W + {hosts} × {host} W", values), why),
      psu: line(psu, watts(psu), gettext("({gpus} × {tdp} W + 200 W) / 80%, rounded up to 50 W", values), why),
      guide: line(guide, watts(guide), gettext("{gpus} × {tdp} W + 300 W", values), why),
      electricity: line(electricity, gettext("{electricity} kWh", values), gettext("{kilowatts} kW × {use}% × 24 h × 365", values), why),
      power: line(power, usd(power), gettext("{electricity} kWh × {kwh}", values), why),
      co2: line(co2, gettext("{co2} kg", values), gettext("{electricity} kWh × {grid} kg", values), why),
    };
  }

  function roomLines({ gpus, width: slots, connectors }, counted, gpu) {
    const why = gpu.is_module ? gettext("This GPU is a module and needs no slot.") : gettext("The number of slots of this GPU is not known. Enter it.");
    const values = { gpus, memory: number(gpu.memory_gb), all: number(counted.memory), slots: number(counted.slots), width: number(slots) };
    Object.assign(values, { connectors: number(connectors), each: slots && Math.ceil(slots / 2), most: counted.most });
    return {
      memory: line(counted.memory, gettext("{all} GB", values), gettext("{gpus} × {memory} GB", values), gettext("The memory of this GPU is not known.")),
      slots: line(counted.slots, gettext("{slots} slots", values), gettext("{gpus} × {width}", values), why),
      most: line(counted.most, gettext("{most} GPUs", values), gettext("{connectors} double-width slots / {each} per GPU, rounded down", values), why),
    };
  }

  function fit({ gpus, connectors, width: slots }, { most }, gpu) {
    const values = { gpus, most, connectors: number(connectors) };
    if (slots === null) return gpu.is_module ? gettext("This GPU is a module and needs no slot.") : gettext("It is not known whether they fit the board.");
    if (most === 0) return gettext("No GPU fits a board with {connectors} double-width slots.", values);
    return most < gpus ? gettext("Only {most} of {gpus} fit a board with {connectors} double-width slots.", values)
      : gettext("They fit a board with {connectors} double-width slots.", values);
  }

  function texts(values, gpu) {
    const counted = system(values, gpu.memory_gb);
    const texts = {
      outcome: counted.psu === null ? gettext("not known") : watts(counted.psu),
      fit: fit(values, counted, gpu),
    };
    for (const [name, [figure, arithmetic]] of Object.entries({ ...roomLines(values, counted, gpu), ...powerLines(values, counted) })) {
      texts[name] = figure;
      texts[`${name}-how`] = arithmetic;
    }
    return texts;
  }

  calculators.system = system;
  calculator("system", { copied, texts });
})();
