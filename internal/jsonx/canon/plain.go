package canon

// Plain returns the number of bytes at the beginning of s that a JSON string contains
// unescaped: printable ASCII except quotes and backslashes. It may return up to 7 too
// few, because it checks eight bytes at a time.
func Plain[T ~string | ~[]byte](s T) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	i := 0
	for ; i+8 <= len(s); i += 8 {
		p := s[i : i+8]
		w := uint64(p[0]) | uint64(p[1])<<8 | uint64(p[2])<<16 | uint64(p[3])<<24 |
			uint64(p[4])<<32 | uint64(p[5])<<40 | uint64(p[6])<<48 | uint64(p[7])<<56
		quote, slash := w^ones*'"', w^ones*'\\'
		// The highest bit of a byte is set in one of these if that byte is not plain.
		if (w|(w-ones*' ')|(w+ones)|((quote-ones)&^quote)|((slash-ones)&^slash))&highs != 0 {
			return i
		}
	}
	return i
}
