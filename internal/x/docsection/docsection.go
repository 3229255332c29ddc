// Package docsection keeps generated sections of hand-written documents in sync with
// the code.
//
// A section is between a line <!-- name --> and the next line <!-- end -->. It promises
// that everything outside the markers stays unchanged. It is for tests only.
package docsection

import (
	"fmt"
	"os"
	"strings"
)

const end = "<!-- end -->"

// Sync compares the section name of file with want, Markdown without a final line
// break. If update is set it writes want into the file. The error names the command to
// run.
func Sync(file, name, want string, update bool) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("read document: %w", err)
	}
	begin := "<!-- " + name + " -->\n"
	before, rest, ok := strings.Cut(string(text), begin)
	if !ok {
		return fmt.Errorf("%s has no line %q", file, strings.TrimSpace(begin))
	}
	is, after, ok := strings.Cut(rest, end)
	if !ok {
		return fmt.Errorf("%s: section %q has no line %q", file, name, end)
	}
	if is == want+"\n" {
		return nil
	}
	if !update {
		return fmt.Errorf("%s: section %q differs from the code; run this package's tests with -update and read the change", file, name)
	}
	return os.WriteFile(file, []byte(before+begin+want+"\n"+end+after), 0o644)
}
