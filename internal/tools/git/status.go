package git

import (
	"context"
	"strconv"
	"strings"
)

// maxListed limits each list of files in a result.
const maxListed = 1000

// state is a parsed git status.
type state struct {
	branch        string // "" if detached
	upstream      string
	ahead, behind int
	staged        []string
	notStaged     []string
	modified      []string
	untracked     []string
	conflicted    []string
	lines         []string // as git status --short formats them
	total         int      // entries
	cut           bool     // there were more than were read
}

// status reads the state of the files.
func (r *repository) status(ctx context.Context) (*state, error) {
	ran, err := r.must(ctx, "status", "--porcelain=v2", "--branch", "-z", "--untracked-files=all", "--ignore-submodules=dirty", "--no-renames")
	if err != nil && ran.Flooded {
		err = nil
	}
	if err != nil {
		return nil, err
	}
	return parseStatus(string(ran.Stdout), ran.StdoutCut > 0), nil
}

// parseStatus parses porcelain version 2, in which NUL ends each entry. If the text was
// cut, the last entry is discarded.
func parseStatus(text string, cut bool) *state {
	s := &state{cut: cut}
	entries := strings.Split(text, "\x00")
	entries = entries[:len(entries)-1]
	for i := 0; i < len(entries); i++ {
		kind, rest, _ := strings.Cut(entries[i], " ")
		switch kind {
		case "#":
			s.header(rest)
		case "1":
			s.entry(rest, 7)
		case "2": // a rename: the old name follows
			s.entry(rest, 8)
			i++
		case "u":
			s.entry(rest, 9)
		case "?":
			s.total++
			s.untracked = append(s.untracked, shown(rest))
			s.lines = append(s.lines, "?? "+shown(rest))
		}
	}
	return s
}

func (s *state) header(text string) {
	key, value, _ := strings.Cut(text, " ")
	switch key {
	case "branch.head":
		if value != "(detached)" {
			s.branch = strings.ToValidUTF8(value, "\uFFFD")
		}
	case "branch.upstream":
		s.upstream = strings.ToValidUTF8(value, "\uFFFD")
	case "branch.ab":
		ahead, behind, _ := strings.Cut(value, " ")
		s.ahead, _ = strconv.Atoi(strings.TrimPrefix(ahead, "+"))
		s.behind, _ = strconv.Atoi(strings.TrimPrefix(behind, "-"))
	}
}

// entry parses a tracked file: two letters for index and files, fields, a name.
func (s *state) entry(text string, fields int) {
	parts := strings.SplitN(text, " ", fields+1)
	if len(parts) != fields+1 || len(parts[0]) != 2 {
		return
	}
	s.total++
	name := shown(parts[fields])
	index, file := parts[0][0], parts[0][1]
	s.lines = append(s.lines, strings.ReplaceAll(parts[0], ".", " ")+" "+name)
	if fields == 9 {
		s.conflicted = append(s.conflicted, name)
		s.notStaged = append(s.notStaged, name)
		return
	}
	if index != '.' {
		s.staged = append(s.staged, name)
	}
	if file != '.' {
		s.notStaged = append(s.notStaged, name)
	}
	if index == 'M' || file == 'M' {
		s.modified = append(s.modified, name)
	}
}

// few returns the beginning of a list that a result may hold, never nil.
func few(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list[:min(len(list), maxListed)]
}

// truncated reports whether one of the lists is longer than a result may be.
func (s *state) truncated() bool {
	longest := max(len(s.staged), len(s.notStaged), len(s.untracked), len(s.modified), len(s.conflicted), len(s.lines))
	return s.cut || longest > maxListed
}
