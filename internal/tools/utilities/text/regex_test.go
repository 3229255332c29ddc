package text

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/lib/regex"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestRegex(t *testing.T) {
	tooltest.Run(t, Set, "regex", tool.Call{}, []tooltest.Case{
		{
			Name: "test", Args: `{"text":"hello world","pattern":"world","operation":"test"}`,
			Want: `{"operation":"test","pattern":"world","flags":"","result":true}`,
		},
		{
			Name: "test nothing", Args: `{"text":"hello world","pattern":"xyz","operation":"test"}`,
			Want: `{"operation":"test","pattern":"xyz","flags":"","result":false}`,
		},
		{
			Name: "ignore case", Args: `{"text":"Hello","pattern":"hello","flags":"i","operation":"test"}`,
			Want: `{"operation":"test","pattern":"hello","flags":"i","result":true}`,
		},
		{
			Name: "match", Args: `{"text":"été 2024-05","pattern":"(\\d{4})-(\\d\\d)(x)?","operation":"match","flags":"g"}`,
			Want: `{"operation":"match","pattern":"(\\d{4})-(\\d\\d)(x)?","flags":"g","result":{"match":"2024-05","groups":["2024","05",null],"index":4}}`,
		},
		{
			Name: "match nothing", Args: `{"text":"a","pattern":"b","operation":"match"}`,
			Want: `{"operation":"match","pattern":"b","flags":"","result":null}`,
		},
		{
			Name: "match all", Args: `{"text":"aa","pattern":"a","operation":"match_all"}`,
			Want: `{"operation":"match_all","pattern":"a","flags":"","result":[{"match":"a","groups":[],"index":0},{"match":"a","groups":[],"index":1}]}`,
		},
		{Name: "all of nothing", Args: `{"text":"","pattern":"a"}`, Want: `{"operation":"match_all","pattern":"a","flags":"","result":[]}`},
		{
			Name: "names after an emoji", Args: `{"text":"😊 k=v","pattern":"(?<key>\\w)=(\\w)"}`,
			Want: `{"operation":"match_all","pattern":"(?<key>\\w)=(\\w)","flags":"","result":[{"match":"k=v","groups":["k","v"],"index":2,"namedGroups":{"key":"k"}}]}`,
		},
		{
			Name: "look-around and back references", Args: `{"text":"aab \"x\" 'y'","pattern":"(?<!a)(['\"])(.)\\1(?=\\s|$)","flags":"g"}`,
			Want: `{"operation":"match_all","pattern":"(?<!a)(['\"])(.)\\1(?=\\s|$)","flags":"g","result":[{"match":"\"x\"","groups":["\"","x"],"index":4},{"match":"'y'","groups":["'","y"],"index":8}]}`,
		},
		{
			Name: "replace the first", Args: `{"text":"a a","pattern":"a","operation":"replace","replacement":"b"}`,
			Want: `{"operation":"replace","pattern":"a","flags":"","result":"b a"}`,
		},
		{
			Name: "replace all", Args: `{"text":"hello world world","pattern":"world","operation":"replace","replacement":"earth","flags":"g"}`,
			Want: `{"operation":"replace","pattern":"world","flags":"g","result":"hello earth earth"}`,
		},
		{
			Name: "replace is meant", Args: `{"text":"x1","pattern":"\\d","replacement":""}`,
			Want: `{"operation":"replace","pattern":"\\d","flags":"","result":"x"}`,
		},
		{
			Name: "replace by nothing", Args: `{"text":"x1","pattern":"\\d","operation":"replace"}`,
			Want: `{"operation":"replace","pattern":"\\d","flags":"","result":"x"}`,
		},
		{
			Name: "split", Args: `{"text":"a,b,,c","pattern":",+","operation":"split"}`,
			Want: `{"operation":"split","pattern":",+","flags":"","result":["a","b","c"]}`,
		},
		{
			Name: "split with groups", Args: `{"text":"1-2+3","pattern":"(-)|(\\+)","operation":"split"}`,
			Want: `{"operation":"split","pattern":"(-)|(\\+)","flags":"","result":["1","-",null,"2",null,"+","3"]}`,
		},
		{
			Name: "split at nothing", Args: `{"text":"abc","pattern":"","operation":"split"}`,
			Want: `{"operation":"split","pattern":"","flags":"","result":["a","b","c"]}`,
		},
		{
			Name: "split at the ends", Args: `{"text":",a,","pattern":",","operation":"split"}`,
			Want: `{"operation":"split","pattern":",","flags":"","result":["","a",""]}`,
		},
		{
			Name: "split nothing", Args: `{"text":"","pattern":",","operation":"split"}`,
			Want: `{"operation":"split","pattern":",","flags":"","result":[""]}`,
		},
		{
			Name: "split an empty text at nothing", Args: `{"text":"","pattern":"","operation":"split"}`,
			Want: `{"operation":"split","pattern":"","flags":"","result":[]}`,
		},
		{Name: "a flag twice", Args: `{"text":"a","pattern":"a","flags":"gig"}`, Fails: tool.ValidationError, Message: "'g' is given twice"},
		{
			Name: "lines", Args: `{"text":"a\nb","pattern":"^b$","flags":"m","operation":"test"}`,
			Want: `{"operation":"test","pattern":"^b$","flags":"m","result":true}`,
		},
		{
			Name: "no lines", Args: `{"text":"b\n","pattern":"^b$","operation":"test"}`,
			Want: `{"operation":"test","pattern":"^b$","flags":"","result":false}`,
		},
		{
			Name: "dot and line breaks", Args: `{"text":"a\nb","pattern":"a.b","flags":"s","operation":"test"}`,
			Want: `{"operation":"test","pattern":"a.b","flags":"s","result":true}`,
		},
		{
			Name: "only at the start", Args: `{"text":"ba","pattern":"a|c","flags":"y","operation":"test"}`,
			Want: `{"operation":"test","pattern":"a|c","flags":"y","result":false}`,
		},
		{
			Name: "at the start in comments", Args: `{"text":"aab","pattern":"a # one\n","flags":"xyg","replacement":"-"}`,
			Want: `{"operation":"replace","pattern":"a # one\n","flags":"xyg","result":"--b"}`,
		},
		{
			Name: "Unicode", Args: `{"text":"x é😊","pattern":"\\p{L}\\u{1F60A}","flags":"u","operation":"test"}`,
			Want: `{"operation":"test","pattern":"\\p{L}\\u{1F60A}","flags":"u","result":true}`,
		},
		{
			Name: "script", Args: `{"text":"aα","pattern":"\\p{Script=Greek}","operation":"split","flags":"u"}`,
			Want: `{"operation":"split","pattern":"\\p{Script=Greek}","flags":"u","result":["a",""]}`,
		},
		{
			Name: "unknown property", Args: `{"text":"p{Foo}","pattern":"\\p{Foo}","operation":"test"}`, Fails: tool.ValidationError,
			Message: "property 'Foo'",
		},
		{
			Name: "Python", Args: `{"text":"12ab","pattern":"(?P<word>[[:alpha:]]+)","operation":"match"}`,
			Want: `{"operation":"match","pattern":"(?P<word>[[:alpha:]]+)","flags":"","result":{"match":"ab","groups":["ab"],"index":2,"namedGroups":{"word":"ab"}}}`,
		},
		{
			Name: "broken", Args: `{"text":"a","pattern":"(a","operation":"test"}`, Fails: tool.ValidationError,
			Message: "Invalid regular expression: missing closing ).",
		},
		{Name: "flags", Args: `{"text":"a","pattern":"a","flags":"gz"}`, Fails: tool.ValidationError, Message: "Invalid flag 'z'"},
		{
			Name: "operation", Args: `{"text":"a","pattern":"a","operation":"search"}`, Fails: tool.ValidationError,
			Message: "operation: must be one of: test",
		},
		{Name: "no pattern", Args: `{"text":"a"}`, Fails: tool.ValidationError, Message: "pattern"},
		{
			Name: "long pattern", Args: `{"text":"a","pattern":"` + strings.Repeat("a", regex.MaxPattern+1) + `"}`, Fails: tool.ValidationError,
			Message: "longer than 10000 characters",
		},
		{
			Name: "for ever", Args: `{"text":"` + strings.Repeat("a", 40) + `!","pattern":"(a+)+$","operation":"test"}`, Fails: tool.Timeout,
			Message: "did not finish on this text in time",
		},
		{
			Name:  "a wide text",
			Args:  `{"text":"` + strings.Repeat("x", 1000) + `","pattern":"x","replacement":"` + strings.Repeat("y", 5000) + `","flags":"g"}`,
			Fails: tool.ValidationError, Message: "longer than 4194304 bytes",
		},
		{
			Name:  "the text for each",
			Args:  `{"text":"` + strings.Repeat("x", 5000) + "\",\"pattern\":\"x\",\"replacement\":\"$`\",\"flags\":\"g\"}",
			Fails: tool.ValidationError, Message: "longer than 4194304 bytes",
		},
		{
			Name: "many matches", Args: `{"text":"` + strings.Repeat("a", 20_000) + `","pattern":"a"}`,
			Check: func(t *testing.T, res tool.Result) {
				if count := strings.Count(string(res.Value), `"match"`); !res.Truncated || count != regex.MaxMatches ||
					res.Metadata["total"] != 20_000 {
					t.Errorf("listed %d of %v, truncated %t", count, res.Metadata["total"], res.Truncated)
				}
			},
		},
		{
			Name: "long matches", Args: `{"text":"` + strings.Repeat("a", 5000) + `","pattern":"(?=(a*))"}`,
			Check: func(t *testing.T, res tool.Result) {
				if size := len(res.Value); !res.Truncated || size > 2*regex.MaxMatchOutput || res.Metadata["total"] != 5001 {
					t.Errorf("%d bytes of %v matches, truncated %t", size, res.Metadata["total"], res.Truncated)
				}
			},
		},
		{
			Name: "many parts", Args: `{"text":"` + strings.Repeat("a,", 20_000) + `","pattern":",","operation":"split"}`,
			Check: func(t *testing.T, res tool.Result) {
				if !res.Truncated || res.Metadata["total"] != 20_001 {
					t.Errorf("metadata %v, truncated %t", res.Metadata, res.Truncated)
				}
			},
		},
	})
}

func TestRegexCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := runRegex(ctx, nil, regexArgs{Text: "aa", Pattern: "a"}); !errors.Is(err, context.Canceled) {
		t.Errorf("regex in a cancelled call: error %v, want %v", err, context.Canceled)
	}
}

// FuzzRegex checks the time limit for every pattern.
func FuzzRegex(f *testing.F) {
	for _, pattern := range []string{
		`(a+)+$`, `[a\W]*`, `(?i).(?<x>b)\k<x>`, `[[:alpha:]]`, `(?P<n>x)(?(1)y|z)`, `\p{L}{2,}?`, "#.\n", `[]-a]`, `(?>a|b)*`,
	} {
		f.Add(pattern, "gimsx", "aaab", "$1")
	}
	f.Fuzz(func(t *testing.T, pattern, flags, text, template string) {
		start := time.Now()
		for _, operation := range []string{"match_all", "split", "replace"} {
			if _, err := runRegex(t.Context(), nil, regexArgs{
				Text:        text,
				Pattern:     pattern,
				Flags:       flags,
				Operation:   operation,
				Replacement: &template,
			}); err != nil {
				if kind := tool.AsError(err).Kind; kind != tool.ValidationError && kind != tool.Timeout {
					t.Errorf("pattern %q flags %q: %v", pattern, flags, err)
				}
			}
		}
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("pattern %q flags %q took %s", pattern, flags, took)
		}
	})
}
