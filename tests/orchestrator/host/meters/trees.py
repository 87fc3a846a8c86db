"""File trees of sysfs with known truth, and a made-up NVML."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def write(file: Path, text: object) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"{text}\n")
    return file


def cpus(root: Path, packages: int = 2, cores: int = 4, threads: int = 2) -> None:
    """Describe the CPUs of a node as Linux numbers them: first one thread of every core, then the others."""
    total = packages * cores
    for number in range(total * threads):
        core = number % total
        package = core // cores
        siblings = [core + total * k for k in range(threads)]
        members = [
            c + total * k for k in range(threads) for c in range(package * cores, (package + 1) * cores)
        ]
        folder = root / f"devices/system/cpu/cpu{number}/topology"
        write(folder / "physical_package_id", package)
        write(folder / "thread_siblings_list", ",".join(map(str, siblings)))
        write(folder / "package_cpus_list", ",".join(map(str, sorted(members))))


def rapl(root: Path, name: str, zone: str, microjoules: int = 0, largest: int = 262_143_328_850) -> Path:
    """Make a powercap zone and return its counter."""
    folder = root / "class/powercap" / zone
    write(folder / "name", name)
    write(folder / "max_energy_range_uj", largest)
    return write(folder / "energy_uj", microjoules)


def cray(root: Path, **joules: int) -> Path:
    """Make the files of a blade controller and return their folder."""
    folder = root / "cray/pm_counters"
    for name, value in {"startup": 7, "freshness": 1, "generation": 3}.items():
        write(folder / name, value)
    for name, value in joules.items():
        write(folder / name, f"{value} J 1700000000000000 us")
    return folder


class NVMLError(Exception):
    """An error as pynvml raises it."""


class NotSupported(NVMLError):
    """What a GPU does not support."""


class Gpu:
    """One made-up GPU; a value of None is not supported, and an error is raised."""

    def __init__(self, **values: Any) -> None:
        self.values: dict[str, Any] = {
            "energy": 0,
            "power": 100_000,
            "utilisation": 50,
            "memory": 2**30,
            "temperature": 60,
            "clock": 1400,
            "throttle": 0,
            "gpm": {},
            "bus": 5120,
            **values,
        }

    def get(self, name: str) -> Any:
        value = self.values[name]
        if value is None:
            raise NotSupported("Not Supported")
        if isinstance(value, Exception):
            raise value
        return value


class _Value:
    def __init__(self, **values: Any) -> None:
        self.__dict__.update(values)


class Nvml:
    """The functions of pynvml that are used, over made-up GPUs; names with MIG- are half of the first."""

    NVMLError = NVMLError
    NVML_TEMPERATURE_GPU = 0
    NVML_CLOCK_SM = 1
    NVML_CLOCK_MEM = 2
    NVML_GPM_METRIC_ANY_TENSOR_UTIL = 5
    NVML_GPM_METRIC_DRAM_BW_UTIL = 10
    NVML_GPM_METRIC_FP64_UTIL = 11
    NVML_GPM_METRIC_FP32_UTIL = 12
    NVML_GPM_METRIC_FP16_UTIL = 13
    NVML_GPM_METRICS_GET_VERSION = 1

    def __init__(self, **gpus: Gpu) -> None:
        self.gpus = {name.replace("_", "-"): gpu for name, gpu in gpus.items()}
        self.samples = 0

    def nvmlDeviceGetHandleByUUID(self, uuid: str) -> Any:
        if uuid.startswith("MIG-"):
            return uuid
        if uuid not in self.gpus:
            raise NVMLError("Not Found")
        return self.gpus[uuid]

    def nvmlDeviceGetAttributes(self, handle: str) -> Any:
        assert handle.startswith("MIG-")
        return _Value(gpuInstanceSliceCount=3)

    def nvmlDeviceGetDeviceHandleFromMigDeviceHandle(self, handle: str) -> Gpu:
        assert handle.startswith("MIG-")
        return next(iter(self.gpus.values()))

    def nvmlDeviceGetMaxMigDeviceCount(self, handle: Gpu) -> int:
        assert isinstance(handle, Gpu)
        return 7

    def nvmlDeviceGetTotalEnergyConsumption(self, gpu: Gpu) -> Any:
        return gpu.get("energy")

    def nvmlDeviceGetPowerUsage(self, gpu: Gpu) -> Any:
        return gpu.get("power")

    def nvmlDeviceGetUtilizationRates(self, gpu: Gpu) -> Any:
        return _Value(gpu=gpu.get("utilisation"))

    def nvmlDeviceGetMemoryInfo(self, gpu: Gpu) -> Any:
        return _Value(used=gpu.get("memory"))

    def nvmlDeviceGetTemperature(self, gpu: Gpu, sensor: int) -> Any:
        assert sensor == self.NVML_TEMPERATURE_GPU
        return gpu.get("temperature")

    def nvmlDeviceGetClockInfo(self, gpu: Gpu, clock: int) -> Any:
        assert clock == self.NVML_CLOCK_SM
        return gpu.get("clock")

    def nvmlDeviceGetCurrentClocksThrottleReasons(self, gpu: Gpu) -> Any:
        return gpu.get("throttle")

    def nvmlDeviceGetMemoryBusWidth(self, gpu: Gpu) -> Any:
        return gpu.get("bus")

    def nvmlDeviceGetMaxClockInfo(self, gpu: Gpu, clock: int) -> Any:
        assert (isinstance(gpu, Gpu), clock) == (True, self.NVML_CLOCK_MEM)
        return 2619

    def nvmlGpmQueryDeviceSupport(self, gpu: Gpu) -> Any:
        return _Value(isSupportedDevice=int(gpu.get("gpm") != {}))

    def nvmlGpmSampleAlloc(self) -> Any:
        self.samples += 1
        return _Value(gpu=None)

    def nvmlGpmSampleFree(self, sample: Any) -> None:
        assert hasattr(sample, "gpu")
        self.samples -= 1

    def nvmlGpmSampleGet(self, gpu: Gpu, sample: Any) -> Any:
        gpu.get("gpm")
        sample.gpu = gpu
        return sample

    def c_nvmlGpmMetricsGet_t(self) -> Any:
        return _Value(metrics=[_Value(metricId=0, nvmlReturn=0, value=0.0) for _ in range(9)])

    def nvmlGpmMetricsGet(self, asked: Any) -> Any:
        """Return the made-up percentages, by the number of the metric; others are not supported."""
        assert asked.version == self.NVML_GPM_METRICS_GET_VERSION
        assert asked.sample1.gpu is asked.sample2.gpu is not None
        for metric in asked.metrics[: asked.numMetrics]:
            value = asked.sample2.gpu.get("gpm").get(metric.metricId)
            metric.nvmlReturn, metric.value = (3, 0.0) if value is None else (0, value)
        return asked
