// Package dataextraction holds the tools that turn a text into data: entities and tables.
//
// A text is untrusted. It is only searched: work and results are bounded, and what is left
// out is reported. Nothing here checks that a text is true.
package dataextraction

import (
	"strings"

	"github.com/helve-dev/helve/tool"
)

// Set holds the tools of this package; each file adds its own.
var Set = tool.NewSet("Data Extraction", "dataExtraction")

// needText refuses a blank text, with a message that names it and its use.
func needText(text, refusal string) error {
	if strings.TrimSpace(text) == "" {
		return tool.Fail(tool.ValidationError, "%s", refusal)
	}
	return nil
}
