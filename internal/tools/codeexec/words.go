package codeexec

import (
	"strings"

	"github.com/helve-dev/helve/tool"
)

// splitter splits text into words as a POSIX shell does. It resolves quotes and
// backslashes and expands nothing. It makes one pass without recursion, so its cost is
// linear in the length.
type splitter struct {
	text string
	// operators lets shell operators end a command and makes < and > words of their own;
	// without it these characters are ordinary.
	operators bool

	commands [][]string
	command  []string
	word     strings.Builder
	inWord   bool
	open     bool // a quote is not closed
}

func (s *splitter) endWord() {
	if s.inWord {
		s.command = append(s.command, s.word.String())
		s.word.Reset()
		s.inWord = false
	}
}

func (s *splitter) endCommand() {
	s.endWord()
	if len(s.command) > 0 {
		s.commands = append(s.commands, s.command)
		s.command = nil
	}
}

func (s *splitter) add(text string) {
	s.word.WriteString(text)
	s.inWord = true
}

func (s *splitter) split() {
	for i := 0; i < len(s.text); i++ {
		switch c := s.text[i]; {
		case c == '\\':
			i++
			if i < len(s.text) && s.text[i] != '\n' { // a continued line
				s.add(s.text[i : i+1])
			}
		case c == '\'':
			i = s.single(i + 1)
		case c == '"':
			i = s.double(i + 1)
		case s.operators && c == '#' && !s.inWord:
			end := strings.IndexByte(s.text[i:], '\n')
			if end < 0 {
				end = len(s.text) - i
			}
			i += end - 1
		case s.operators && strings.IndexByte(";&|()`\n", c) >= 0:
			s.endCommand()
		case s.operators && (c == '<' || c == '>'):
			s.endWord()
			s.command = append(s.command, string(c))
		case strings.IndexByte(" \t\r\n", c) >= 0:
			s.endWord()
		default:
			s.add(s.text[i : i+1])
		}
	}
	s.endCommand()
}

// single copies text up to the closing quote and returns its position.
func (s *splitter) single(from int) int {
	n := strings.IndexByte(s.text[from:], '\'')
	if s.open = n < 0; s.open {
		n = len(s.text) - from
	}
	s.add(s.text[from : from+n])
	return from + n
}

func (s *splitter) double(from int) int {
	s.add("")
	for i := from; i < len(s.text); i++ {
		switch c := s.text[i]; {
		case c == '"':
			return i
		case c == '\\' && i+1 < len(s.text) && strings.IndexByte("\\\"$`\n", s.text[i+1]) >= 0:
			i++
			s.add(s.text[i : i+1])
		default:
			s.add(s.text[i : i+1])
		}
	}
	s.open = true
	return len(s.text)
}

const mostWords = 100

// words splits a command that no shell will see.
func words(param, text string) ([]string, error) {
	s := splitter{text: text}
	s.split()
	switch {
	case s.open:
		return nil, tool.Fail(tool.ValidationError, "A quote in %s is not closed.", param)
	case strings.ContainsRune(text, 0):
		return nil, tool.Fail(tool.ValidationError, "%s must not contain a zero byte.", param)
	case len(s.commands) == 0:
		return nil, nil
	case len(s.commands[0]) > mostWords:
		return nil, tool.Fail(tool.ValidationError, "%s has %d words; at most %d are allowed.", param, len(s.commands[0]), mostWords)
	}
	return s.commands[0], nil
}
