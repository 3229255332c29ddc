package js

import (
	"strings"

	"github.com/dop251/goja"
)

var passwordRow = row{"generatePassword": generatePassword}

// passwordSets omit characters that are easily confused.
var passwordSets = []string{"abcdefghijkmnopqrstuvwxyz", "ABCDEFGHJKLMNPQRSTUVWXYZ", "23456789", "!@#$%^&*-_=+?"}

// generatePassword returns a password of 16 characters, or of 4 to 256, with at least
// one character of each set.
func generatePassword(u use) goja.Value {
	length := int64(16)
	if u.given(0) {
		length = u.whole(0, "length", 4, 256)
	}
	all := strings.Join(passwordSets, "")
	password := make([]byte, length)
	for !hasAll(string(password)) { // drawing again keeps all accepted passwords equally likely
		for i := range password {
			password[i] = all[below(int64(len(all)))]
		}
	}
	return u.value(string(password))
}

func hasAll(password string) bool {
	for _, set := range passwordSets {
		if !strings.ContainsAny(password, set) {
			return false
		}
	}
	return true
}
