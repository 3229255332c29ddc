package preview

import "strings"

// issued are the prefixes of keys by issuer, and the minimum number of characters after
// them.
var issued = []struct {
	prefix string
	least  int
	upper  bool // only capitals and digits follow
	dots   bool // dots are part of it
}{
	{prefix: "sk-", least: 16}, {prefix: "sk_live_", least: 8}, {prefix: "sk_test_", least: 8}, {prefix: "rk_live_", least: 8},
	{prefix: "ghp_", least: 8}, {prefix: "gho_", least: 8}, {prefix: "ghu_", least: 8}, {prefix: "ghs_", least: 8}, {prefix: "ghr_", least: 8},
	{prefix: "github_pat_", least: 8}, {prefix: "glpat-", least: 8},
	{prefix: "xoxb-", least: 8}, {prefix: "xoxp-", least: 8}, {prefix: "xoxa-", least: 8}, {prefix: "xoxr-", least: 8},
	{prefix: "xoxs-", least: 8}, {prefix: "xapp-", least: 8},
	{prefix: "AKIA", least: 12, upper: true}, {prefix: "ASIA", least: 12, upper: true}, {prefix: "AIza", least: 30},
	{prefix: "npm_", least: 30}, {prefix: "pypi-", least: 30}, {prefix: "hf_", least: 20}, {prefix: "dop_v1_", least: 30},
	{prefix: "shpat_", least: 20}, {prefix: "whsec_", least: 16}, {prefix: "AGE-SECRET-KEY-1", least: 16},
	{prefix: "ya29.", least: 16, dots: true}, {prefix: "SG.", least: 16, dots: true},
}

// token hides an issued key or a JSON web token that begins in the word, at its start or
// after - or _. It reports whether there was one.
func (s *scan) token(from, end int) bool {
	if at, stop := webToken(s.text, from, end); stop > 0 {
		s.hide(at, stop)
		return true
	}
	for at := from; at < end; at++ {
		if at > from && s.text[at-1] != '-' && s.text[at-1] != '_' {
			continue
		}
		for _, k := range issued {
			if !strings.HasPrefix(s.text[at:], k.prefix) {
				continue
			}
			start, stop := at+len(k.prefix), end
			switch {
			case k.dots:
				stop = run(s.text, start, inDotted)
			case k.upper:
				stop = run(s.text, start, isUpper)
			}
			if stop-start >= k.least || k.prefix == "sk-" && stop-start >= 8 && strings.ContainsAny(s.text[start:stop], "0123456789") {
				s.hide(start, stop)
				return true
			}
		}
	}
	return false
}

func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' }

func inDotted(c byte) bool { return inWord(c) || c == '.' }

// webTokenBegin is {" in base64.
const webTokenBegin = "eyJ"

// webToken returns the JSON web token that begins in a word and continues after it: its
// second part is JSON as well, or its last part is long. It returns the range to hide, or
// 0, 0.
func webToken(text string, from, end int) (start, stop int) {
	at := strings.Index(text[from:end], webTokenBegin)
	if at < 0 || end-from-at < 10 || end >= len(text) || text[end] != '.' {
		return 0, 0
	}
	stop = run(text, end, inDotted)
	rest := text[end+1 : stop]
	if strings.HasPrefix(rest, webTokenBegin) || len(rest)-strings.LastIndexByte(rest, '.') > 16 {
		return from + at + len(webTokenBegin), stop
	}
	return 0, 0
}
