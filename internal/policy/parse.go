package policy

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/cedar-policy/cedar-go"
)

// maxDepth bounds the brackets of a file: the parser recurses, and a stack overflow
// would end the process.
const maxDepth = 500

// parse makes the rule set of the files, or reports everything that is wrong.
func parse(all []source) (*ruleSet, error) {
	var rules []*rule
	var problems []error
	names, taken := map[string]string{}, map[string]*rule{}
	for _, src := range all {
		base := filepath.Base(src.path)
		if other, ok := names[base]; ok {
			problems = append(problems, &problem{
				src.path + ":1:1", "there is a second rule file of this name, " + other + "; rename one, since rules are named by their file",
			})
		}
		names[base] = src.path
		list, err := statements(src)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		for i, statement := range list {
			r, wrong := newRule(statement, fmt.Sprintf("%s#%d", base, i+1))
			problems = append(problems, wrong...)
			if first, ok := taken[r.id]; ok {
				problems = append(problems, &problem{r.at(), fmt.Sprintf("the @id %q is taken by the rule at %s", r.id, first.at())})
			} else {
				taken[r.id] = r
			}
			rules = append(rules, r)
		}
	}
	if len(problems) > 0 {
		return nil, errors.Join(problems...)
	}
	set := newRuleSet(rules)
	set.sum = digest(all)
	for _, src := range all {
		set.files = append(set.files, src.path)
	}
	return set, nil
}

// statements parses one file.
func statements(src source) (cedar.PolicyList, error) {
	depth, line := 0, 1
	for _, c := range src.text {
		switch c {
		case '\n':
			line++
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		}
		if depth > maxDepth {
			return nil, &problem{fmt.Sprintf("%s:%d:1", src.path, line), "brackets are nested too deep"}
		}
	}
	var list cedar.PolicyList
	last := cedar.Position{Filename: src.path, Line: 1, Column: 1}
	dec := cedar.NewDecoder(bytes.NewReader(bytes.TrimPrefix(src.text, []byte("\xef\xbb\xbf"))))
	for {
		p := new(cedar.Policy)
		if err := dec.Decode(p); errors.Is(err, io.EOF) {
			return list, nil
		} else if err != nil {
			return nil, located(last, err)
		}
		p.SetFilename(src.path)
		list, last = append(list, p), p.Position()
	}
}

var (
	position = regexp.MustCompile(`^(?:parse error at )?<input>:(\d+):(\d+):? ?`)
	expected = regexp.MustCompile(`^"(?:[^"\\]|\\.)*": exact got (.*) want (.*)$`)
)

// located formats the position of a syntax error for editors. An error without a
// position is in the statement after last.
func located(last cedar.Position, err error) error {
	text := err.Error()
	m := position.FindStringSubmatch(text)
	if m == nil {
		return &problem{where(last), "syntax error in this rule or the next: " + text}
	}
	text = strings.TrimPrefix(text, m[0])
	if m[1] == "0" { // the first byte is already wrong
		m[1], m[2] = "1", "1"
	}
	if e := expected.FindStringSubmatch(text); e != nil {
		text = fmt.Sprintf("found %q where %q belongs", e[1], e[2])
	}
	return &problem{last.Filename + ":" + m[1] + ":" + m[2], "syntax error: " + text}
}
