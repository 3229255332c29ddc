package utilities

// cutToInt cuts a number towards zero; what no float64 counts up to exactly becomes
// the last one that does.
func cutToInt(f float64) int { return int(min(max(f, -maxExactInteger), maxExactInteger)) }

// cutCount is cutToInt for a count that may be missing.
func cutCount(f *float64) *int {
	if f == nil {
		return nil
	}
	n := cutToInt(*f)
	return &n
}
