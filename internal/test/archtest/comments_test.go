package archtest

import (
	"fmt"
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strings"
)

// verb matches a verb in the third person, an adverb before it allowed.
var verb = regexp.MustCompile(`^(?:(?:also|never|only|then|always) )?(?:[a-z]+s|must|may|can)\b`)

// noVerbs are words that end in s and begin a doc comment that has no verb.
var noVerbs = []string{"as", "its", "this", "thus", "says", "us", "across", "always", "less"}

// testFunc matches the functions that the go command runs. Their comments describe the
// tested behaviour in a sentence of its own.
var testFunc = regexp.MustCompile(`^(?:Test|Benchmark|Fuzz|Example)`)

// brokenComments requires that the doc comment of each declaration begins with its
// name, and that of a function continues with a verb. A comment on a group describes
// the group.
func brokenComments(s source) []string {
	var broken []string
	for _, decl := range s.File.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			broken = append(broken, brokenFunc(s, d)...)
		case *ast.GenDecl:
			if d.Tok == token.IMPORT {
				continue
			}
			for _, spec := range d.Specs {
				names, doc := declared(spec)
				if !d.Lparen.IsValid() {
					doc = d.Doc
				}
				if doc.Text() == "" || namesOne(doc.Text(), names) {
					continue
				}
				if _, value := spec.(*ast.ValueSpec); value && d.Lparen.IsValid() {
					continue // a comment on a part of a group of values
				}
				broken = append(broken, fmt.Sprintf("%s: the comment must begin with %q", s.at(spec), names[0]))
			}
		}
	}
	return broken
}

func brokenFunc(s source, d *ast.FuncDecl) []string {
	text := d.Doc.Text()
	if text == "" || strings.HasPrefix(text, "Deprecated:") || s.Test && testFunc.MatchString(d.Name.Name) {
		return nil
	}
	rest, ok := strings.CutPrefix(text, d.Name.Name+" ")
	if !ok {
		return []string{fmt.Sprintf("%s: the comment must begin with %q", s.at(d), d.Name.Name)}
	}
	first, _, _ := strings.Cut(verb.FindString(rest), " ")
	if first == "" || slices.Contains(noVerbs, first) {
		return []string{fmt.Sprintf("%s: %q must be followed by a verb, as in %q", s.at(d), d.Name.Name, d.Name.Name+" returns")}
	}
	return nil
}

// declared returns the names that spec declares and its comment.
func declared(spec ast.Spec) (names []string, doc *ast.CommentGroup) {
	switch s := spec.(type) {
	case *ast.TypeSpec:
		return []string{s.Name.Name}, s.Doc
	case *ast.ValueSpec:
		for _, n := range s.Names {
			names = append(names, n.Name)
		}
		return names, s.Doc
	}
	return nil, nil
}

// namesOne reports whether text begins with one of names, with or without an article.
func namesOne(text string, names []string) bool {
	for _, article := range []string{"A ", "An ", "The "} {
		text = strings.TrimPrefix(text, article)
	}
	for _, name := range names {
		rest, ok := strings.CutPrefix(text, name)
		if name == "_" || ok && rest != "" && strings.ContainsRune(" ,:.\n", rune(rest[0])) {
			return true
		}
	}
	return false
}
