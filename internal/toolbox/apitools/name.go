package apitools

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"

	"github.com/helve-dev/helve/internal/lib/textcase"
	"github.com/helve-dev/helve/tool"
)

// prefix returns the beginning of the names of the API's tools.
func (a *API) prefix() string { return snake(a.Name) + "_" }

var unfit = regexp.MustCompile(`[^a-z0-9]+`)

// snake returns a name in snake_case, of ASCII letters and digits.
func snake(name string) string {
	return strings.Trim(unfit.ReplaceAllString(textcase.RemoveDiacritics(textcase.Snake(name)), "_"), "_")
}

// names returns the names of the tools of operations, in their order. A name ends in a hash
// if it is too long, and so is cut, or if several operations would have it.
func (a *API) names(ids []string) []string {
	count, bare := map[string]int{}, make([]string, len(ids))
	for i, id := range ids {
		bare[i] = a.prefix() + snake(id)
		count[bare[i]]++
	}
	names := make([]string, len(ids))
	for i, id := range ids {
		name := bare[i]
		switch {
		case count[name] > 1 || name == a.prefix():
			name = hashed(name, id)
		case len(name) > tool.MaxNameLength:
			name = hashed(name, name)
		}
		names[i] = name
	}
	return names
}

// hashed returns a name that ends in a hash of a text.
func hashed(name, text string) string {
	const digits = 8
	sum := sha256.Sum256([]byte(text))
	name = strings.TrimRight(name[:min(len(name), tool.MaxNameLength-digits-1)], "_")
	return name + "_" + hex.EncodeToString(sum[:])[:digits]
}
