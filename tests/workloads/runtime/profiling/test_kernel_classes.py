"""Kernels are classified by the names that frameworks and libraries give them."""

from __future__ import annotations

import pytest

from workloads.runtime.profiling.kernel_classes import CLASSES, kernel_class

NAMES = {
    "convolution": [
        *("Conv2D", "Conv3DBackpropFilterV2", "_MklNativeConv2DBackpropFilterWithBias", "convolution.74"),
        *("aten::mkldnn_convolution", "aten::convolution_backward", "void implicit_convolve_sgemm<float>"),
        *("volta_scudnn_128x64_relu_interior_nn_v1", "sm80_xmma_fprop_implicit_gemm_tf32f32_tf32f32"),
        *("sm80_xmma_dgrad_implicit_gemm_f16", "void cudnn::winograd_nonfused::winogradForwardData4x4"),
        *("igemm_fwd_gtcx_nhwc_fp16", "igemm_wrw_gtcx35", "fft2d_r2c_32x32", "DSE::regular_fft_pad"),
        *(
            "volta_gcgemm_32x32_nt",
            "cudnn::gemm::computeOffsetsKernel",
            "Im2d2Col",
            "void flip_filter<float>",
        ),
    ],
    "gemm": [
        *("MatMul", "_MklMatMul", "BatchMatMulV2", "Einsum", "aten::mm", "aten::addmm", "aten::bmm", "dot.3"),
        *("ampere_sgemm_128x64_nn", "void cutlass::Kernel<cutlass_80_tensorop_f16_s16816>", "gemv2T_kernel"),
        *("void splitKreduce_kernel<32, 16>", "nvjet_hsh_128x256_64x4_1x2_h_bz_coopA_NNT", "dot_general.3"),
        *("Cijk_Ailk_Bljk_SB_MT128x64x16", "EigenContractionKernel", "aten::_scaled_mm", "wrapped_dot_2"),
        *("dot_add_fusion", "aten::addmv", "aten::linear"),
    ],
    "batch_normalization": [
        *("FusedBatchNormV3", "FusedBatchNormGradV3", "aten::native_batch_norm_backward"),
        *("void cudnn::bn_fw_tr_1C11_kernel_NCHW<float>", "cudnn::bn_bw_1C11_singleread"),
        *("batch-norm-training.1", "bnBwByDxDrelu"),
    ],
    "element_wise": [
        *("Relu", "ReluGrad", "AddV2", "SquaredDifference", "Mul", "Cast", "BiasAdd", "ResourceApplyAdam"),
        *("aten::clamp_min", "aten::threshold_backward", "aten::add_", "broadcast_subtract_fusion"),
        *("void at::native::vectorized_elementwise_kernel<4, CUDAFunctor_add<float>>", "LogicalAnd"),
        *("void Eigen::internal::EigenMetaKernel<Eigen::TensorEvaluator>", "convert_element_type", "Expm1"),
        *("void cudnn::ops::op_tensor_kernel", "activation_fw_4d_kernel", "MIOpenNeuronFwd", "and.3"),
        *(
            "Op2dTensorLite",
            "Op4dTensorGeneric",
            "aten::eq",
            "aten::hardtanh",
            "logistic.3",
            "compare_select_fusion",
        ),
    ],
    "pooling": [
        *("MaxPool", "_MklNativeMaxPoolGrad", "AvgPool3DGrad", "MaxPool3DGradGrad", "aten::max_pool2d"),
        *("void cudnn::pooling_bw_kernel_max_nchw<float>", "wrapped_reduce-window.1", "select-and-scatter.2"),
    ],
    "memcpy": [
        *("MemcpyH2D", "MemcpyD2D", "Memset", "aten::copy_", "copy.37", "copy_37", "_Send", "_HostRecv"),
        *(
            "__amd_rocclr_copyBuffer",
            "__amd_rocclr_fillBufferAligned",
            "CopyHostToDevice",
            "loop_copy_fusion",
        ),
        *("copy_bitcast_fusion", "wrapped_copy_1", "aten::clone"),
    ],
    "allreduce": [
        *("ncclDevKernel_AllReduce_Sum_f32_RING_LL", "HorovodAllreduce", "gloo:all_reduce", "all-reduce.1"),
        *("c10d::allreduce_", "CollectiveReduceV2"),
    ],
    "transformation": [
        *("Transpose", "Tile", "Pad", "ConcatV2", "StridedSlice", "GatherV2", "transpose_copy_fusion.1"),
        *("void cudnn::ops::nchwToNhwcKernel<__half>", "concatenate_bitcast_fusion", "wrapped_scatter"),
        *("SwapDimension1And2InTensor3UsingTiles", "nhwcAddPaddingKernel", "aten::index_select", "aten::t"),
        *("index_elementwise_kernel", "_scatter_gather_elementwise_kernel", "aten::select_backward"),
        *("EigenMetaKernel<TensorAssignOp<TensorShufflingOp>>", "SpaceToBatchND", "_MklToTf"),
    ],
    "other": [
        *("Softmax", "aten::_log_softmax", "Mean", "Sum", "aten::nll_loss_backward", "ReadVariableOp"),
        *("ncclKernel_Broadcast_RING_LL", "ynn_fusion.7", "CudnnRNN", "add_reduce_fusion", "NoOp"),
        *("HorovodAllgather", "all-gather.3", "collective-permute.1", "gloo:broadcast", "CollectiveGather"),
        *(
            "ncclDevKernel_Generic_1",
            "BiasAddGrad",
            "aten::empty_strided",
            "CropAndResizeGradImage",
            "cunn_SoftMaxForward<LogSoftMaxForwardEpilogue>",
        ),
        *("fmha_cutlassF_f32_aligned", "flash_fwd_kernel", "Eigen::internal::OuterReductionKernel"),
    ],
}


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind, names in NAMES.items() for name in names])
def test_names_of_frameworks_and_libraries_have_their_class(kind: str, name: str) -> None:
    assert kernel_class(name) == kind


def test_there_are_the_eight_classes_of_the_suite_and_the_rest() -> None:
    assert set(CLASSES) == set(NAMES)
    assert len(CLASSES) == 9


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("Mul", "batch_normalization"),
        ("Tile", "batch_normalization"),
        ("Mean", "batch_normalization"),
        ("MatMul", "gemm"),
        ("Conv2D", "convolution"),
    ],
)
def test_simple_operations_of_a_batch_normalization_are_its_own(name: str, kind: str) -> None:
    assert kernel_class(name, "StatefulPartitionedCall/model/batch_normalization_1/batchnorm") == kind


def test_a_collective_within_a_batch_normalization_is_none() -> None:
    scope = "model/sync_batch_normalization/moments"
    assert kernel_class("HorovodAllgather", scope) == "other"
    assert kernel_class("HorovodAllreduce", scope) == "allreduce"
