"""What detect.py plants, and what the judge has to make of it."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Trial:
    """One cluster with its faults. Clauses and names are regular expressions."""

    name: str
    cluster: str = "h100-2x4"
    faults: tuple = ()
    fails: tuple = ()  # every one of these fails
    may_fail: tuple = ()  # these may fail too: the fault touches them
    names: tuple = ()  # said in a verdict that is no PASS, or by the run itself
    overall: tuple = ()
    codes: tuple = (0,)  # exit codes of the run
    options: tuple = ()
    filter: str = ""
    offer: str = ""
    seeds: int = 1  # with --full
    short: bool = False


GEMM = "gpu[.]gemm_.*"
ALL_REDUCE = "interconnect[.]all_reduce_.*"
SCALING = "scaling[.]gpu_efficiency"

HEALTHY = [
    Trial("healthy-a100-1x8", cluster="a100-1x8", overall=("PASS",), seeds=20, short=True),
    Trial("healthy-l40s-2x8", cluster="l40s-2x8", overall=("PASS",), seeds=2),
    Trial("healthy-h100-4x8", cluster="h100-4x8", overall=("PASS",), seeds=2),
    Trial("healthy-h100-2x4", overall=("PASS",), seeds=20),
]

# Cards. GPU 2 of the second node is the culprit.
CARD = ("node01", r"GPU 2\b")
CARDS = [
    Trial("power_cap", faults=("kind=power_cap,node=1,gpu=2,watts=350",), fails=("gpu[.]not_held_back", GEMM),
          may_fail=(SCALING,), names=(*CARD, "power limit"), short=True),
    Trial("locked_clocks", faults=("kind=locked_clocks,node=1,gpu=2,sm_mhz=420,watts=40",),
          fails=("gpu[.]not_held_back", GEMM), may_fail=(SCALING, ALL_REDUCE, "gpu[.]memory_bandwidth"), names=(*CARD, "clock")),
    Trial("thermal", faults=("kind=thermal,node=1,gpu=2,after_seconds=0.2,sm_mhz=900",),
          fails=("gpu[.]not_held_back",), may_fail=(GEMM, SCALING, ALL_REDUCE), names=(*CARD, "thermal")),
    Trial("mig_slice", faults=("kind=mig_slice,node=1,gpu=2,fraction=0.5",), fails=("gpu[.]healthy", "gpu[.]memory", GEMM),
          may_fail=("gpu[.].*", SCALING, ALL_REDUCE), names=(*CARD, "MIG")),
    Trial("renamed", faults=("kind=renamed,node=1,gpu=2,product=h100-pcie-80gb",), fails=(GEMM, "gpu[.]memory_bandwidth"),
          may_fail=("gpu[.].*", SCALING, ALL_REDUCE), names=CARD),
    Trial("half_memory", faults=("kind=half_memory,node=1,gpu=2",), fails=("gpu[.]memory",), names=CARD),
    Trial("dead_nvlink", faults=("kind=dead_nvlink,node=1,gpu=2,count=9",), fails=("gpu[.]nvlink_bandwidth",),
          may_fail=("gpu[.]healthy", ALL_REDUCE, SCALING), names=(*CARD, "NVLink")),
    Trial("missing_nvlink", faults=("kind=missing_nvlink,node=1,gpu=2",), fails=("gpu[.]nvlink_bandwidth",),
          may_fail=("gpu[.]healthy", ALL_REDUCE, SCALING), names=(*CARD, "NVLink")),
    Trial("pcie_width", faults=("kind=pcie_width,node=1,gpu=2,width=8",), fails=("gpu[.]pcie_bandwidth",),
          may_fail=("gpu[.]healthy",), names=(*CARD, "x8|8 lanes"), short=True),
    Trial("pcie_gen", faults=("kind=pcie_gen,node=1,gpu=2,generation=1",), fails=("gpu[.]pcie_bandwidth",),
          may_fail=("gpu[.]healthy",), names=CARD),
    Trial("p2p_off", faults=("kind=p2p_off,node=1,gpu=2",), fails=("gpu[.]nvlink_bandwidth",),
          may_fail=("gpu[.]healthy", ALL_REDUCE, SCALING), names=("node01",)),
    Trial("ecc", faults=("kind=ecc,node=1,gpu=2,count=3,uncorrected=true",), fails=("gpu[.]healthy",), names=(*CARD, "ECC")),
    Trial("wrong_results", faults=("kind=wrong_results,node=1,gpu=2,rate=1e-5",), fails=(GEMM,), may_fail=("gpu[.].*", ALL_REDUCE, SCALING),
          names=("node01",)),
    Trial("missing_gpu", faults=("kind=missing_gpu,node=1,gpu=2",), fails=("gpu[.]count",), may_fail=(SCALING, ALL_REDUCE), names=("node01",), short=True),
    Trial("out_of_memory", faults=("kind=out_of_memory,node=1,gpu=2,fraction=0.4",), fails=("gpu[.]healthy|gpu[.]memory",),
          may_fail=("gpu[.]memory", "gpu[.]healthy"), names=CARD),
    Trial("jitter", faults=("kind=jitter,node=1,gpu=2,sigma=0.3",), may_fail=("gpu[.].*", SCALING, ALL_REDUCE), overall=("FAIL", "INCONCLUSIVE", "PASS")),
    Trial("lost_gpu", faults=("kind=lost_gpu,node=1,gpu=2,after=3000",), fails=("gpu[.]healthy",),
          may_fail=("gpu[.].*", ALL_REDUCE, SCALING), names=CARD),
    Trial("hang", faults=("kind=hang,node=1,gpu=2,operation=AllReduce,after=40",), may_fail=("gpu[.].*", ALL_REDUCE, SCALING),
          names=("rank 6",), codes=(0, 1, 3, 4, 124), options=("--deadline", "8s"), overall=("FAIL", "NOT_TESTED", "INCONCLUSIVE")),
    Trial("crash", faults=("kind=crash,node=1,gpu=2,after=3000",), may_fail=("gpu[.].*", ALL_REDUCE, SCALING),
          names=("rank 6|signal",), codes=(1, 3, 4, 134, 137, 139), overall=("FAIL", "NOT_TESTED", "INCONCLUSIVE")),
    Trial("driver_too_old", faults=("kind=driver_too_old,node=1",), fails=("gpu[.]count",), may_fail=(SCALING, ALL_REDUCE, "gpu[.].*"),
          names=("node01", "driver")),
]

# The network. NIC mlx5_2 of the second node is the culprit.
NICS = [
    Trial("slow_nic", faults=("kind=slow_nic,node=1,nic=2,gbit=100",), fails=("interconnect[.]all_reduce_all",), may_fail=(SCALING,),
          names=("node01",), short=True),
    Trial("dead_nic", faults=("kind=dead_nic,node=1,nic=2",), fails=("interconnect[.]nics",), may_fail=("interconnect[.]all_reduce_all", SCALING),
          names=("node01", "mlx5_2")),
    Trial("down_rated_nic", faults=("kind=down_rated_nic,node=1,nic=2,gbit=200",), fails=("interconnect[.]nics",),
          may_fail=("interconnect[.]all_reduce_all", SCALING), names=("node01", "mlx5_2")),
    Trial("half_nics", faults=("kind=half_nics,node=1",), fails=("interconnect[.]nics",), may_fail=("interconnect[.]all_reduce_all", SCALING),
          names=("node01",)),
    Trial("gdr_off", faults=("kind=gdr_off,node=1",), fails=("interconnect[.]gpu_direct",), may_fail=("interconnect[.]all_reduce_all", SCALING),
          names=("GDR|GPU-direct|GPUDirect|gpu_direct",)),
    Trial("socket_transport", faults=("kind=socket_transport",), fails=("interconnect[.]transport", "interconnect[.]all_reduce_all"),
          may_fail=(SCALING, "interconnect[.]gpu_direct"), names=("Socket|socket",), short=True),
    Trial("oversubscribed", faults=("kind=oversubscribed,ratio=4",), fails=("interconnect[.]all_reduce_all",), may_fail=(SCALING,)),
    Trial("noisy_neighbour", faults=("kind=noisy_neighbour,node=1,nic=2,share=0.7,period_seconds=0.05",),
          may_fail=("interconnect[.]all_reduce_all", SCALING), overall=("FAIL", "INCONCLUSIVE")),
]

TOGETHER = [
    Trial("three_at_once", faults=("kind=power_cap,node=0,gpu=1,watts=350", "kind=pcie_width,node=1,gpu=2,width=8", "kind=dead_nic,node=1,nic=3"),
          fails=("gpu[.]not_held_back", "gpu[.]pcie_bandwidth", "interconnect[.]nics"), may_fail=(GEMM, SCALING, ALL_REDUCE, "gpu[.]healthy"),
          names=("node00", r"GPU 1\b", r"GPU 2\b", "mlx5_3")),
]

TRIALS = [*HEALTHY, *CARDS, *NICS, *TOGETHER]
