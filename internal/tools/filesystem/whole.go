package filesystem

// mostExact is the largest whole number up to which every float64 is exact.
const mostExact = 1 << 53

// cutToInt cuts a number towards zero.
func cutToInt(f float64) int { return int(min(max(f, -mostExact), mostExact)) }
