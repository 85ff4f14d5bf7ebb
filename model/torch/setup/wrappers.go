package setup

import (
	"regexp"
	"strings"
)

// wrapper is a generated function of gotch that the copy keeps.
type wrapper struct {
	Go string // its name in package libtch
	// Major and Minor are the first LibTorch that has the operation, where
	// that is newer than 1.13. In an older one the call is an error.
	Major, Minor int
}

// wrappers are what model/torch calls: this list is the one place to add to
// when it needs another operation. A test compares it with the calls.
var wrappers = []wrapper{
	{Go: "Atg_LogSoftmax"},
	{Go: "Atg_SoftmaxBackwardDataOut"},
	{Go: "Atg_SoftmaxOut"},
	{Go: "AtgAdd_"},
	{Go: "AtgAddcmul_"},
	{Go: "AtgAddmm_"},
	{Go: "AtgAddmv_"},
	{Go: "AtgAddScalar_"},
	{Go: "AtgAsStrided"},
	{Go: "AtgBaddbmm_"},
	{Go: "AtgBmm"},
	{Go: "AtgBmmOut"},
	{Go: "AtgDivOut"},
	{Go: "AtgEmbeddingDenseBackward"},
	{Go: "AtgEmpty"},
	{Go: "AtgExp_"},
	{Go: "AtgGather"},
	{Go: "AtgGtTensor"},
	{Go: "AtgIndexAdd_"},
	{Go: "AtgIndexCopy_"},
	{Go: "AtgIndexSelect"},
	{Go: "AtgIndexSelectOut"},
	{Go: "AtgLerp_"},
	{Go: "AtgLogicalOr_"},
	{Go: "AtgMaskedFill_"},
	{Go: "AtgMm"},
	{Go: "AtgMmOut"},
	{Go: "AtgMul"},
	{Go: "AtgMul_"},
	{Go: "AtgMulOut"},
	{Go: "AtgMulScalar_"},
	{Go: "AtgMv"},
	{Go: "AtgNorm"},
	{Go: "AtgNormScalaroptDim"},
	{Go: "AtgRsqrt_"},
	{Go: "AtgScatterAdd_"},
	{Go: "AtgSilu"},
	{Go: "AtgSiluBackwardGradInput"},
	{Go: "AtgSiluOut"},
	{Go: "AtgSqrtOut"},
	{Go: "AtgSub_"},
	{Go: "AtgSum"},
	{Go: "AtgSumDimIntlist"},
	{Go: "AtgTo"},
	{Go: "AtgToDtype"},
	{Go: "AtgTranspose"},
	{Go: "AtgViewAsComplex"},
	{Go: "AtgZero_"},
	{Go: "AtgZeros"},
}

func wrapperNames() []string {
	names := make([]string, len(wrappers))
	for i, w := range wrappers {
		names[i] = w.Go
	}
	return names
}

var capital = regexp.MustCompile(`[A-Z]`)

// c is the name of the C function behind the wrapper: AtgMmOut is atg_mm_out.
func (w wrapper) c() string {
	snake := capital.ReplaceAllStringFunc(strings.TrimPrefix(w.Go, "Atg"), func(s string) string {
		return "_" + strings.ToLower(s)
	})
	return "atg" + snake
}
