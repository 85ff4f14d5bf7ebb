package safetensors

import "math"

// FromFloat16 converts the bits of an IEEE 754 half-precision number.
func FromFloat16(h uint16) float32 {
	sign := uint32(h>>15) << 31
	exponent, fraction := uint32(h>>10&0x1f), uint32(h&0x3ff)
	switch exponent {
	case 0: // zero and subnormal: fraction * 2^-24
		v := float32(fraction) * float32(math.Ldexp(1, -24))
		return math.Float32frombits(math.Float32bits(v) | sign)
	case 0x1f: // infinity and NaN
		return math.Float32frombits(sign | 0xff<<23 | fraction<<13)
	}
	return math.Float32frombits(sign | (exponent+112)<<23 | fraction<<13)
}

// toFloat16 rounds to the nearest half-precision number, to the even one of two
// that are as near. What is too large becomes an infinity.
func toFloat16(v float32) uint16 {
	bits := math.Float32bits(v)
	sign := uint16(bits >> 16 & 0x8000)
	exponent, fraction := int(bits>>23&0xff)-112, bits&0x7fffff
	switch {
	case exponent == 0xff-112: // infinity and NaN
		if fraction != 0 {
			return sign | 0x7e00
		}
		return sign | 0x7c00
	case exponent >= 0x1f:
		return sign | 0x7c00
	case exponent < -10:
		return sign
	case exponent <= 0: // subnormal: the implicit bit becomes explicit
		shift := uint(14 - exponent)
		return sign | uint16(roundShift(fraction|0x800000, shift))
	}
	// A fraction that rounds up to 2 carries into the exponent, as it should.
	return sign | uint16(roundShift(uint32(exponent)<<23|fraction, 13))
}

// roundShift is v >> shift, rounded to nearest, halves to even.
func roundShift(v uint32, shift uint) uint32 {
	half := uint32(1) << (shift - 1)
	return (v + half - 1 + (v >> shift & 1)) >> shift
}

// toBFloat16 rounds to the nearest bfloat16, to the even one of two that are as
// near.
func toBFloat16(v float32) uint16 {
	bits := math.Float32bits(v)
	if v != v {
		return uint16(bits>>16) | 0x40
	}
	return uint16(roundShift(bits, 16))
}
