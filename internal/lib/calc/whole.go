package calc

// MaxExactInteger is the largest integer up to which every float64 is exact.
const MaxExactInteger = 1 << 53

// ToInt truncates a number towards zero; a number beyond MaxExactInteger becomes
// MaxExactInteger.
func ToInt(f float64) int { return int(min(max(f, -MaxExactInteger), MaxExactInteger)) }

// ToCount is ToInt for an optional count.
func ToCount(f *float64) *int {
	if f == nil {
		return nil
	}
	n := ToInt(*f)
	return &n
}
