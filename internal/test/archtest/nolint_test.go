package archtest

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// mostExemptions bounds the comments in the repository that exempt a line from linters. A
// kind of file has a rule in .golangci.yml instead.
const mostExemptions = 80

// exemption matches a comment that exempts a line, with the linters and the reason.
var exemption = regexp.MustCompile(`^//\s*nolint\b(?::([\w,]+))?(?:\s*//\s*(\S.*))?`)

// brokenExemptions checks that each exemption names linters that are on and has a reason,
// and that there are no more than most.
func brokenExemptions(all []source, off []string, most int) []string {
	var broken []string
	seen := 0
	for _, s := range all {
		for _, group := range s.File.Comments {
			for _, c := range group.List {
				m := exemption.FindStringSubmatch(c.Text)
				if m == nil {
					continue
				}
				seen++
				for name := range strings.SplitSeq(m[1], ",") {
					switch {
					case name == "" || name == "all":
						broken = append(broken,
							s.at(c)+": an exemption names its linters, or it also hides what nobody has looked at: //nolint:NAME // reason")
					case slices.Contains(off, name):
						broken = append(broken, fmt.Sprintf("%s: %s is off in .golangci.yml: remove the exemption", s.at(c), name))
					}
				}
				if m[2] == "" {
					broken = append(broken, s.at(c)+": an exemption has a reason, so that a reviewer can judge it: //nolint:NAME // reason")
				}
			}
		}
	}
	if seen > most {
		broken = append(broken,
			fmt.Sprintf("%d lines are exempt from linters, at most %d may be: change the code, or add a rule for the kind of file to .golangci.yml",
				seen, most))
	}
	return broken
}

// lintersOff returns the linters that are off by the configuration in text, where all
// others are on.
func lintersOff(t *testing.T, text []byte) []string {
	t.Helper()
	var config struct {
		Linters struct {
			Default string
			Disable []string
		}
	}
	if err := yaml.Unmarshal(text, &config); err != nil {
		t.Fatal(err)
	}
	if config.Linters.Default != "all" || len(config.Linters.Disable) == 0 {
		t.Fatalf("the default of .golangci.yml is %q with %d linters off: the exemptions are checked for all linters but some",
			config.Linters.Default, len(config.Linters.Disable))
	}
	return config.Linters.Disable
}

func TestNolint(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, ".golangci.yml"))
	if err != nil {
		t.Fatal(err)
	}
	report(t, brokenExemptions(sources(t), lintersOff(t, text), mostExemptions))
}

func TestBrokenExemptions(t *testing.T) {
	off := lintersOff(t, []byte("linters:\n  default: all\n  disable:\n    - lll # long\n"))
	for _, tt := range []struct {
		comment    string
		most, want int
	}{
		{"//nolint:gosec // not a secret", 1, 0},
		{"//nolint:gosec,errcheck // not a secret", 1, 0},
		{"// nolint:gosec // not a secret", 1, 0},
		{"// nolinting is a word", 0, 0},
		{"// exempt with nolint", 0, 0},
		{"//nolint:gosec // not a secret", 0, 1},
		{"//nolint:gosec", 1, 1},
		{"//nolint:gosec //", 1, 1},
		{"//nolint:gosec not a secret", 1, 1},
		{"//nolint // not a secret", 1, 1},
		{"//nolint:all // not a secret", 1, 1},
		{"//nolint:gosec, errcheck // not a secret", 1, 2},
		{"//nolint:gosec,lll // not a secret", 1, 1},
		{"//nolint", 0, 3},
	} {
		src := parse(t, "a/a.go", "package a\n\nvar a = 1 "+tt.comment+"\n")
		if got := brokenExemptions([]source{src}, off, tt.most); len(got) != tt.want {
			t.Errorf("brokenExemptions(%q, %d) = %q, want %d findings", tt.comment, tt.most, got, tt.want)
		}
	}
}
