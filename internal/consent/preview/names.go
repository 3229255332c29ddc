package preview

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// wholeNames are names of secrets if they are the complete name.
var wholeNames = map[string]bool{
	"auth": true, "basicauth": true, "proxyauth": true, "httpauth": true, "pass": true, "userpass": true,
	"pin": true, "otp": true, "totp": true, "cvv": true, "cvc": true, "sid": true, "jwt": true,
	"connectionstring": true,
}

// endings are the ends of names of secrets, in every notation.
var endings = []string{
	"password", "passwd", "passphrase", "passcode", "pwd", "secret", "token", "credential", "authorization", "bearer", "cookie",
	"apikey", "accesskey", "accesskeyid", "privatekey", "secretkey", "signingkey", "encryptionkey", "masterkey", "sharedkey", "accountkey",
	"authkey", "sshkey", "deploykey", "licensekey", "sessionid", "sessionkey", "recoverycode", "backupcode", "mfacode", "otpcode",
}

// manyTokens are the plural forms that are secrets; max_tokens is not.
var manyTokens = []string{"accesstokens", "authtokens", "apitokens", "bearertokens", "refreshtokens", "sessiontokens", "idtokens"}

// additions may follow the name of a secret without changing its meaning.
var additions = []string{
	"value", "confirmation", "confirm", "repeat", "again", "text", "plain", "header", "hash", "base64", "b64", "hex", "pem",
}

// secretName reports whether a member of this name usually holds a secret. Case and
// separators do not count.
func secretName(name string) bool {
	name = strings.TrimRight(letters(name), "0123456789")
	for _, addition := range additions {
		if rest, ok := strings.CutSuffix(name, addition); ok && rest != "" {
			name = rest
			break
		}
	}
	endsIn := func(ending string) bool { return strings.HasSuffix(name, ending) }
	switch {
	case strings.HasPrefix(name, "required"): // it names a requirement, to which a person agrees
		return false
	case wholeNames[name] || slices.ContainsFunc(manyTokens, endsIn):
		return true
	case endsIn("tokens"):
		return false
	}
	name = strings.TrimSuffix(name, "s")
	return slices.ContainsFunc(endings, endsIn)
}

// queryNames are secrets only in the query of an address.
var queryNames = map[string]bool{"key": true, "code": true, "sig": true, "signature": true, "xamzsignature": true, "xgoogsignature": true}

// letters returns the letters and digits of a name, in lower case.
func letters(name string) string {
	if !ascii(name) {
		name = norm.NFKC.String(name)
	}
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}
