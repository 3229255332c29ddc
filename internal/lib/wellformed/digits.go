package wellformed

// OnlyDigits reports whether s is one or more ASCII digits.
func OnlyDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}
