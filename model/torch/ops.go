package torch

import "github.com/sugarme/gotch/libtch"

// The operations used, by LibTorch's names. One that ends in "Out" writes into
// its first argument, one that ends in "In" changes its first argument. Shapes
// stand where they are used. All do nothing when the scope has an error.

// unary, binary and ternary run a wrapper that returns a new tensor.
func (s *scope) unary(op string, f func(*libtch.Ctensor, libtch.Ctensor), a tensor) tensor {
	if s.err != nil {
		return tensor{}
	}
	var out libtch.Ctensor
	f(&out, a.c)
	return s.made(op, out, a.on)
}

func (s *scope) binary(op string, f func(_ *libtch.Ctensor, a, b libtch.Ctensor), a, b tensor) tensor {
	if !s.together(op, a, b) {
		return tensor{}
	}
	var out libtch.Ctensor
	f(&out, a.c, b.c)
	return s.made(op, out, a.on)
}

// change1, change2 and change3 run a wrapper that writes into a tensor.
func (s *scope) change1(op string, f func(_ *libtch.Ctensor, a libtch.Ctensor), a tensor) {
	if s.err != nil {
		return
	}
	var out libtch.Ctensor
	f(&out, a.c)
	s.changed(op, out)
}

func (s *scope) change2(op string, f func(_ *libtch.Ctensor, a, b libtch.Ctensor), a, b tensor) {
	if !s.together(op, a, b) {
		return
	}
	var out libtch.Ctensor
	f(&out, a.c, b.c)
	s.changed(op, out)
}

func (s *scope) change3(op string, f func(_ *libtch.Ctensor, a, b, c libtch.Ctensor), a, b, c tensor) {
	if !s.together(op, a, b, c) {
		return
	}
	var out libtch.Ctensor
	f(&out, a.c, b.c, c.c)
	s.changed(op, out)
}

// changeScalar runs a wrapper that changes a tensor by a number.
func (s *scope) changeScalar(op string, f func(_ *libtch.Ctensor, a libtch.Ctensor, v libtch.Cscalar), a tensor, v float64) {
	if s.err != nil {
		return
	}
	scalar := libtch.AtsFloat(v)
	defer libtch.AtsFree(scalar)
	var out libtch.Ctensor
	f(&out, a.c, scalar)
	s.changed(op, out)
}

// change2Scalar runs a wrapper that changes a tensor by another one and a number.
func (s *scope) change2Scalar(op string, f func(_ *libtch.Ctensor, a, b libtch.Ctensor, v libtch.Cscalar), a, b tensor, v float64) {
	if !s.together(op, a, b) {
		return
	}
	s.changeScalar(op, func(out *libtch.Ctensor, a libtch.Ctensor, v libtch.Cscalar) { f(out, a, b.c, v) }, a, v)
}

func (s *scope) mm(a, b tensor) tensor      { return s.binary("mm", libtch.AtgMm, a, b) }
func (s *scope) mmOut(out, a, b tensor)     { s.change3("mm", libtch.AtgMmOut, out, a, b) }
func (s *scope) addmmIn(acc, a, b tensor)   { s.change3("addmm", libtch.AtgAddmm_, acc, a, b) }
func (s *scope) bmmOut(out, a, b tensor)    { s.change3("bmm", libtch.AtgBmmOut, out, a, b) }
func (s *scope) baddbmmIn(acc, a, b tensor) { s.change3("baddbmm", libtch.AtgBaddbmm_, acc, a, b) }
func (s *scope) mul(a, b tensor) tensor     { return s.binary("mul", libtch.AtgMul, a, b) }
func (s *scope) mulOut(out, a, b tensor)    { s.change3("mul", libtch.AtgMulOut, out, a, b) }
func (s *scope) mulIn(a, b tensor)          { s.change2("mul", libtch.AtgMul_, a, b) }
func (s *scope) addIn(a, b tensor)          { s.change2("add", libtch.AtgAdd_, a, b) }
func (s *scope) subIn(a, b tensor)          { s.change2("sub", libtch.AtgSub_, a, b) }
func (s *scope) divOut(out, a, b tensor)    { s.change3("div", libtch.AtgDivOut, out, a, b) }
func (s *scope) addcmulIn(acc, a, b tensor) { s.change3("addcmul", libtch.AtgAddcmul_, acc, a, b) }
func (s *scope) sqrtOut(out, a tensor)      { s.change2("sqrt", libtch.AtgSqrtOut, out, a) }
func (s *scope) rsqrtIn(a tensor)           { s.change1("rsqrt", libtch.AtgRsqrt_, a) }
func (s *scope) expIn(a tensor)             { s.change1("exp", libtch.AtgExp_, a) }
func (s *scope) zeroIn(a tensor)            { s.change1("zero", libtch.AtgZero_, a) }
func (s *scope) siluOut(out, a tensor)      { s.change2("silu", libtch.AtgSiluOut, out, a) }
func (s *scope) norm(a tensor) tensor       { return s.unary("norm", libtch.AtgNorm, a) }
func (s *scope) viewAsComplex(a tensor) tensor {
	return s.unary("view_as_complex", libtch.AtgViewAsComplex, a)
}

// transposed is a with its last two dimensions in the other order.
func (s *scope) transposed(a tensor) tensor {
	return s.unary("transpose", func(out *libtch.Ctensor, a libtch.Ctensor) {
		libtch.AtgTranspose(out, a, -2, -1)
	}, a)
}

// copyIn copies src, which may be on another device and of another number type, to dst.
func (s *scope) copyIn(dst, src tensor) {
	if s.err != nil {
		return
	}
	libtch.AtCopy_(dst.c, src.c)
	if err := lastError(); err != nil {
		s.fail(err)
	}
}

// siluBackwardOut writes grad * silu'(a).
func (s *scope) siluBackwardOut(out, grad, a tensor) {
	s.change3("silu_backward", libtch.AtgSiluBackwardGradInput, out, grad, a)
}

func (s *scope) mulScalarIn(a tensor, v float64) {
	s.changeScalar("mul", libtch.AtgMulScalar_, a, v)
}

func (s *scope) addScalarIn(a tensor, v float64) {
	s.changeScalar("add", libtch.AtgAddScalar_, a, v)
}

// lerpIn moves a towards b by the fraction w.
func (s *scope) lerpIn(a, b tensor, w float64) { s.change2Scalar("lerp", libtch.AtgLerp_, a, b, w) }

func (s *scope) zeros(k kind, on device, shape ...int64) tensor {
	if s.err != nil {
		return tensor{}
	}
	var out libtch.Ctensor
	libtch.AtgZeros(&out, shape, len(shape), int32(k), on.number())
	return s.allocated("zeros", out, k, on, shape)
}

// asStrided views the storage of a, from offset on, with the given sizes and strides.
func (s *scope) asStrided(a tensor, offset int64, sizes, strides []int64) tensor {
	if s.err != nil {
		return tensor{}
	}
	var out libtch.Ctensor
	libtch.AtgAsStrided(&out, a.c, sizes, len(sizes), strides, len(strides), offset, 0)
	return s.made("as_strided", out, a.on)
}

// matrix views rows×cols numbers of a, from offset on, row after row.
func (s *scope) matrix(a tensor, offset, rows, cols int64) tensor {
	return s.asStrided(a, offset, []int64{rows, cols}, []int64{cols, 1})
}

// columns views columns [from, from+n) of a contiguous matrix [rows, cols].
func (s *scope) columns(a tensor, rows, cols, from, n int64) tensor {
	return s.asStrided(a, from, []int64{rows, n}, []int64{cols, 1})
}

// rowNorm is the Euclidean norm of each row of a [n, d], as [n, 1].
func (s *scope) rowNorm(a tensor) tensor {
	if s.err != nil {
		return tensor{}
	}
	two := libtch.AtsFloat(2)
	defer libtch.AtsFree(two)
	var out libtch.Ctensor
	libtch.AtgNormScalaroptDim(&out, a.c, two, []int64{-1}, 1, 1)
	return s.made("norm", out, a.on)
}

// sum adds up a along dim, which stays with size 1.
func (s *scope) sum(a tensor, dim int64) tensor {
	if s.err != nil {
		return tensor{}
	}
	var out libtch.Ctensor
	libtch.AtgSumDimIntlist(&out, a.c, []int64{dim}, 1, 1, -1)
	return s.made("sum", out, a.on)
}

// total adds up all of a.
func (s *scope) total(a tensor) tensor {
	if s.err != nil {
		return tensor{}
	}
	var out libtch.Ctensor
	libtch.AtgSum(&out, a.c, -1)
	return s.made("sum", out, a.on)
}

// softmaxOut writes the softmax of a along the last dimension.
func (s *scope) softmaxOut(out, a tensor) {
	s.change2("softmax", func(r *libtch.Ctensor, out, a libtch.Ctensor) {
		libtch.Atg_SoftmaxOut(r, out, a, -1, 0)
	}, out, a)
}

// softmaxBackwardOut writes the gradient of softmax's argument, from that of
// its result p. All are of the number type k.
func (s *scope) softmaxBackwardOut(out, grad, p tensor, k kind) {
	s.change3("softmax_backward", func(r *libtch.Ctensor, out, grad, p libtch.Ctensor) {
		libtch.Atg_SoftmaxBackwardDataOut(r, out, grad, p, -1, int32(k))
	}, out, grad, p)
}

func (s *scope) logSoftmax(a tensor) tensor {
	return s.unary("log_softmax", func(out *libtch.Ctensor, a libtch.Ctensor) {
		libtch.Atg_LogSoftmax(out, a, -1, 0)
	}, a)
}

// indexSelectOut writes the rows of a that index names.
func (s *scope) indexSelectOut(out, a, index tensor) {
	s.change3("index_select", func(r *libtch.Ctensor, out, a, index libtch.Ctensor) {
		libtch.AtgIndexSelectOut(r, out, a, 0, index)
	}, out, a, index)
}

// indexCopyIn writes the rows of src at the rows of a that index names.
func (s *scope) indexCopyIn(a, index, src tensor) {
	s.change3("index_copy", func(r *libtch.Ctensor, a, index, src libtch.Ctensor) {
		libtch.AtgIndexCopy_(r, a, 0, index, src)
	}, a, index, src)
}

// indexAddIn adds the rows of src to the rows of a that index names, each as often as
// it does. On CUDA the order of the sums is not the same each time.
func (s *scope) indexAddIn(a, index, src tensor) {
	s.change3("index_add", func(r *libtch.Ctensor, a, index, src libtch.Ctensor) {
		libtch.AtgIndexAdd_(r, a, 0, index, src)
	}, a, index, src)
}

// maskedFillIn sets a to v where the mask is true.
func (s *scope) maskedFillIn(a, mask tensor, v float64) {
	s.change2Scalar("masked_fill", libtch.AtgMaskedFill_, a, mask, v)
}

// gather picks, of each row of a, the columns that index names.
func (s *scope) gather(a, index tensor) tensor {
	return s.binary("gather", func(out *libtch.Ctensor, a, index libtch.Ctensor) {
		libtch.AtgGather(out, a, -1, index, 0)
	}, a, index)
}

// scatterAddIn adds src's columns to a's, at the columns that index names.
func (s *scope) scatterAddIn(a, index, src tensor) {
	s.change3("scatter_add", func(r *libtch.Ctensor, a, index, src libtch.Ctensor) {
		libtch.AtgScatterAdd_(r, a, -1, index, src)
	}, a, index, src)
}

// embeddingBackward adds up the rows of grad by token: [vocab, d].
func (s *scope) embeddingBackward(grad, tokens tensor, vocab int64) tensor {
	return s.binary("embedding_backward", func(out *libtch.Ctensor, grad, tokens libtch.Ctensor) {
		libtch.AtgEmbeddingDenseBackward(out, grad, tokens, vocab, -1, 0)
	}, grad, tokens)
}

// to converts a to another number type.
func (s *scope) to(a tensor, k kind) tensor {
	return s.unary("to", func(out *libtch.Ctensor, a libtch.Ctensor) {
		libtch.AtgToDtype(out, a, int32(k), 0, 0)
	}, a)
}

// greater is where a > b, and orIn where a or b is true: of bool.
func (s *scope) greater(a, b tensor) tensor { return s.binary("gt", libtch.AtgGtTensor, a, b) }
func (s *scope) orIn(a, b tensor)           { s.change2("logical_or", libtch.AtgLogicalOr_, a, b) }

func (s *scope) bmm(a, b tensor) tensor   { return s.binary("bmm", libtch.AtgBmm, a, b) }
func (s *scope) mv(a, b tensor) tensor    { return s.binary("mv", libtch.AtgMv, a, b) }
func (s *scope) addmvIn(acc, a, b tensor) { s.change3("addmv", libtch.AtgAddmv_, acc, a, b) }
func (s *scope) silu(a tensor) tensor     { return s.unary("silu", libtch.AtgSilu, a) }

// empty is a tensor with undefined values.
func (s *scope) empty(k kind, on device, shape ...int64) tensor {
	if s.err != nil {
		return tensor{}
	}
	var out libtch.Ctensor
	libtch.AtgEmpty(&out, shape, len(shape), int32(k), on.number())
	return s.allocated("empty", out, k, on, shape)
}

// indexSelect is the rows of a that index names.
func (s *scope) indexSelect(a, index tensor) tensor {
	return s.binary("index_select", func(out *libtch.Ctensor, a, index libtch.Ctensor) {
		libtch.AtgIndexSelect(out, a, 0, index)
	}, a, index)
}

// toDevice is a on a device.
func (s *scope) toDevice(a tensor, on device) tensor {
	if s.err != nil || a.on == on {
		return a
	}
	var out libtch.Ctensor
	libtch.AtgTo(&out, a.c, on.number())
	return s.made("to", out, on)
}
