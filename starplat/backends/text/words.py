"""Reserved words of all targets: what no identifier may be in emitted text.

One table for all targets, so that a program has the same names on each of them.
"""

_C_AND_CPP = """
alignas alignof and and_eq asm atomic auto bitand bitor bool break case catch char char8_t char16_t char32_t class
compl complex concept const consteval constexpr constinit const_cast continue co_await co_return co_yield decltype
default delete do double dynamic_cast else enum explicit export extern false final float for friend goto if imaginary
import inline int long module mutable namespace new noexcept not not_eq nullptr operator or or_eq override private
protected public register reinterpret_cast requires restrict return short signed sizeof static static_assert
static_cast struct switch template this thread_local throw true try typedef typeid typename typeof union unsigned
using virtual void volatile wchar_t while xor xor_eq linux unix
"""

_LIBRARY = """
abs acos asin assert atan atan2 cbrt ceil cerr cin copysign cos cosh cout endl erf errno exp exp2 expm1 fabs fabsf
fdim floor fma fmax fmin fmod frexp hypot infinity isfinite isinf isnan j0 j1 jn ldexp lgamma log log10 log1p log2
main malloc map max memcpy memset min modf nan nearbyint pair pow pown powr printf remainder rint round rsqrt set
signbit sin sinh size_t sqrt std stderr stdin stdout string swap tan tanh tgamma trunc vector y0 y1 yn int8_t int16_t
int32_t int64_t uint8_t uint16_t uint32_t uint64_t intptr_t uintptr_t ptrdiff_t INT_MAX INT_MIN LONG_MAX LONG_MIN
CHAR_BIT INFINITY NAN NULL EOF MAXFLOAT HUGE_VAL HUGE_VALF FLT_MAX DBL_MAX EXIT_FAILURE free calloc realloc exit abort
time clock signal read write open close index rand random M_E M_LOG2E M_LOG10E M_LN2 M_LN10 M_PI M_PI_2 M_PI_4 M_1_PI
M_2_PI M_2_SQRTPI M_SQRT2 M_SQRT1_2
"""

_OPENCL = """
kernel global local constant generic pipe read_only write_only read_write uchar ushort uint ulong half quad event_t
sampler_t image1d_t image2d_t image3d_t queue_t ndrange_t clk_event_t reserve_id_t cl_mem barrier mem_fence
read_mem_fence write_mem_fence get_global_id get_global_size get_local_id get_local_size get_group_id get_num_groups
get_work_dim get_global_offset atom_add atom_sub atom_xchg atom_inc atom_dec atom_cmpxchg atom_min atom_max atom_and
atom_or atom_xor atomic_add atomic_sub atomic_xchg atomic_inc atomic_dec atomic_cmpxchg atomic_min atomic_max
atomic_and atomic_or atomic_xor atomic_int atomic_uint atomic_long atomic_float atomic_double atomic_flag atomic_init
as_int as_uint as_long as_ulong as_float as_double clamp degrees mix radians sign step smoothstep cross dot distance
length normalize fast_length any all select bitselect isequal isless isgreater isnormal isordered isunordered clz
popcount rotate hadd rhadd mad mad24 mad_hi mad_sat mul24 mul_hi add_sat sub_sat abs_diff upsample prefetch shuffle
shuffle2 vec_step async_work_group_copy wait_group_events fract maxmag minmag native_sqrt native_exp native_log
half_sqrt half_exp work_group_barrier sub_group_barrier cl_uint cl_int cl_kernel cl_program
"""

_CUDA_AND_HIP = """
threadIdx blockIdx blockDim gridDim warpSize dim3 uint2 uint3 uint4 int2 int3 int4 float2 float3 float4 double2
atomicAdd atomicSub atomicExch atomicMin atomicMax atomicInc atomicDec atomicCAS atomicAnd atomicOr atomicXor cuda hip
cudaMalloc cudaFree cudaMemcpy cudaError_t hipMalloc hipFree hipMemcpy hipError_t cooperative_groups clock64 device
host managed surface texture tex1D tex2D
"""

_SYCL_AND_PRAGMAS = """
sycl queue handler item nd_item nd_range range id group accessor buffer access_mode access_target memory_order
memory_scope atomic_ref local_accessor sub_group omp acc acc_on_device parallel_for
"""

_OURS = """
peer peers Peers Mailbox MOST_PARTS meet_peers word_of heard place_on part_after count_given give_own give_members
meet_and_look words_of_warp each_given GIVEN_AT_ONCE
give_lowest give_highest give_set give_value take_value count_anew agree_on
grid_barrier cluster_barrier in_cluster Set frontier_left shared_out leave clear_shared clear_shared_bits in_block Share
share_of_warp FEW_FOR_A_WARP
 advance_share MOST_BLOCKS launch_cluster
arrived launch_together Frontier frontier_in insert inserted insert_alone clear listed visit_members
visit_words visit_bits visit_marked visit_list visit_found Gathered gathered_by_block MOST_GATHERED mark note_new
begin_anew sum_up_to RowMap BlockRows KeyAndValue ranked key_of best_of_short best_alone count_together
count_rows MOST_COUNTED MOST_ALONE Count Sizes Places places_of_block
each_member each_kept TESTED_AT_ONCE take_members share_arcs long_arcs every_node advance_all advance_arcs
row_of MOST_ARCS advance_members rows_at_a_time
advance advance_and_keep MOST_NEW MOST_LISTED MOST_LONG LONG_ROW MOST_HUGE HUGE_ROW MUCH_NEW ALL_ARCS FEW_ARCS
LongRows MOST_TOGETHER check_place no_long_rows warp_number search_row values_of_block AT_ONCE gather_rows WarpArcs
gather_far_rows node_behind FAR_PLACES LONG_FAR_ROW
item_at insert_item resize_items advance_rows TRIED_AT_ONCE
is_empty has_many has_some contains search_all search_in_teams search_in_warps SOME_LOOKS
any_passes ask_step ask_long ask_all FEW_ASKED ASKED_AT_ONCE MANY_ASKED KEPT_AT_ONCE
collect_all collect_late FEW_OFFERS MANY_OFFERS MOST_LATE AT_A_TIME offers
share_values Teams gather_step long_values gather_all gather_members gather
gather_and_keep gather_each gather_noted gather_listed clear_bits advance_listed advance_words list_members size_of
arc_t ARC_64 ARC_MAX find_arc_among_gaps
add_inf find_arc graph device num_nodes num_arcs row_offsets row_ends columns weights arc_sources
in_row_offsets in_row_ends in_columns in_arcs flip_byte device_fence multiply multiply_long Buffer Device Graph
HostGraph Partial
Arguments Stopwatch Summary kernels launch members check Property argv argc options arguments host stopwatch returned
seconds Word Kernel smaller_int smaller_long larger_int larger_long saturated_int saturated_long saturated_arc
launch_once summarise saturated Timer fill_cells check_sizes reading read_graph read_weighted_graph WeightedGraph
demand graph_given cells_given nodes_given members_given hand_over opened message all_devices Handle Release latest
usage UsageError Cells Records run_records run_record_words record_point record_counts record_members record_nodes
record_listed MOST_RECORDS GroupRows owner_of bring_arcs bring_rows bring_part node_of_all groups_for_each listed_node
node_of_words end_of_piece piece arc_piece kernels_text text_beside starplat
captured device_number compile load upload download runs results Runs Results ResultColumn NpzWriter
watched watched_arcs first_odd handle kept done open_handle run Program program run_program seconds_of Option before
FixedSet places_set Pool one_at_a_time doubts_of_nodes doubts_of_arcs doubts_of_returned watched_returned are_finite
MappedBuffer NodeTable MOST_CELLS each_triangle meet_rows Additions
"""
"""Graph arrays are here so that no array of a program has their names."""

WORDS_OF_C = frozenset(" ".join((_C_AND_CPP, _LIBRARY)).split())
"""What a header that C and C++ read may not call a parameter."""

RESERVED = frozenset(" ".join((_C_AND_CPP, _LIBRARY, _OPENCL, _CUDA_AND_HIP, _SYCL_AND_PRAGMAS, _OURS)).split())

RESERVED_PREFIXES = (
    "_",
    "add_inf_",
    "atomic_",
    "atom_",
    "group_",
    "as_",
    "convert_",
    "get_",
    "latest_",
    "join_",
    "vload",
    "vstore",
    "cl_",
    "CL_",
    "CLK_",
    "cuda",
    "hip",
    "native_",
    "half_",
    "work_group_",
    "sub_group_",
    "acc_",
    "omp_",
)
"""How names of the targets' libraries and of our own helper functions begin."""

_VECTORS = ("char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "float", "double", "half", "bool")
VECTOR_WORDS = frozenset(f"{word}{width}" for word in _VECTORS for width in (1, 2, 3, 4, 8, 16))
