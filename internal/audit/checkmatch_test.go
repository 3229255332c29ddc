package audit

import (
	"bytes"
	"slices"
	"testing"

	"github.com/helve-dev/helve/protocol"
)

// relined changes the lines of the message at an index.
func relined(at int, change func([][]byte) [][]byte) func([]Message) []Message {
	return func(all []Message) []Message {
		all[at].Data = bytes.Join(change(bytes.Split(all[at].Data, newline)), newline)
		return all
	}
}

// TestVerifyNamesWhatWasTamperedWithInABlock: messages 1, 2, 3, 4, 6, 7 of [mixed].
func TestVerifyNamesWhatWasTamperedWithInABlock(t *testing.T) {
	t.Parallel()
	tr := mixed(t)
	more := tr.lines("acme", 90, 1)[0]
	for _, tt := range []struct {
		name    string
		records func([]Message) []Message
		kind    protocol.AuditProblemKind
		at      Place
		found   uint64
	}{
		{"a line changed", relined(1, func(l [][]byte) [][]byte { l[3][30] ^= 1; return l }), protocol.ProblemChanged, Place{2, 3}, 1},
		{"a line emptied", relined(1, func(l [][]byte) [][]byte { l[3] = nil; return l }), protocol.ProblemChanged, Place{2, 3}, 1},
		{"a line of another place", relined(1, func(l [][]byte) [][]byte { l[3] = l[1]; return l }), protocol.ProblemReordered, Place{2, 3}, 1},
		{"lines swapped", relined(1, func(l [][]byte) [][]byte { l[0], l[4] = l[4], l[0]; return l }), protocol.ProblemReordered, Place{2, 4}, 2},
		{"the first line removed", relined(1, without[[]byte](0, 1)), protocol.ProblemMissing, Place{2, 0}, 1},
		{"a line removed", relined(1, without[[]byte](2, 1)), protocol.ProblemMissing, Place{2, 2}, 1},
		{"lines removed", relined(1, without[[]byte](1, 3)), protocol.ProblemMissing, Place{2, 3}, 3},
		{"the last line cut", relined(1, without[[]byte](4, 1)), protocol.ProblemMissing, Place{2, 4}, 1},
		{"all but one cut", relined(1, without[[]byte](1, 4)), protocol.ProblemMissing, Place{2, 1}, 4},
		{"the last line but one of the trail removed", relined(5, without[[]byte](4, 1)), protocol.ProblemMissing, Place{7, 4}, 1},
		{"lines before the last line of the trail removed", relined(5, without[[]byte](3, 2)), protocol.ProblemMissing, Place{7, 4}, 2},
		{"the end of the trail cut", relined(5, without[[]byte](4, 2)), protocol.ProblemCutOff, Place{7, 4}, 1},
		{"a line added first", relined(1, func(l [][]byte) [][]byte { return slices.Insert(l, 0, more) }), protocol.ProblemAdded, Place{2, 0}, 1},
		{"a line added", relined(1, func(l [][]byte) [][]byte { return slices.Insert(l, 2, more) }), protocol.ProblemAdded, Place{2, 2}, 1},
		{"a line added last", relined(1, func(l [][]byte) [][]byte { return append(l, more) }), protocol.ProblemAdded, Place{2, 5}, 1},
		{
			"lines added", relined(1, func(l [][]byte) [][]byte { return slices.Insert(l, 1, more, more, more) }), protocol.ProblemAdded,
			Place{2, 3}, 3,
		},
		{"a line twice", relined(1, func(l [][]byte) [][]byte { return slices.Insert(l, 2, l[1]) }), protocol.ProblemAdded, Place{2, 2}, 1},
		{"a line end added", relined(1, func(l [][]byte) [][]byte { return append(l, nil) }), protocol.ProblemAdded, Place{2, 5}, 1},
		{
			"a line made two", relined(1, func(l [][]byte) [][]byte { return slices.Replace(l, 2, 3, l[2][:50], l[2][50:]) }), protocol.ProblemAdded,
			Place{2, 3}, 2,
		},
		{
			"one removed and one added", relined(1, func(l [][]byte) [][]byte { return slices.Insert(slices.Delete(l, 1, 2), 3, more) }),
			protocol.ProblemChanged, Place{2, 3}, 3,
		},
		{
			"a line more under one record", relined(0, func(l [][]byte) [][]byte { return append(l, more) }), protocol.ProblemChanged,
			Place{Seq: 1}, 1,
		},
		{
			"two blocks swapped", func(all []Message) []Message { all[1].Data, all[3].Data = all[3].Data, all[1].Data; return all },
			protocol.ProblemChanged, Place{2, 0}, 10,
		},
		{
			"a block made one record", func(all []Message) []Message { all[1].About = "read_file"; return all }, protocol.ProblemMissing,
			Place{2, 4}, 5,
		},
		{"a block missing", without[Message](1, 1), protocol.ProblemMissing, Place{2, 4}, 5},
		{"the last block missing", without[Message](5, 1), protocol.ProblemCutOff, Place{7, 0}, 1},
		{"a block twice", func(all []Message) []Message { return slices.Insert(all, 1, all[1]) }, protocol.ProblemAdded, Place{2, 4}, 5},
		{
			"a block before its place", func(all []Message) []Message { all[2], all[3] = all[3], all[2]; return all }, protocol.ProblemReordered,
			Place{3, 0}, 1,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := &twisted{tr.src, tr.sls, tt.records, asIs[[][]byte]}
			v := tr.verifier()
			v.Source, v.Seals = w, sealsOf{w}
			r, err := v.Verify(t.Context(), "acme", Range{})
			if err != nil {
				t.Fatal(err)
			}
			if !hasAt(r, tt.kind, tt.at) || r.Found != tt.found {
				t.Errorf("report %+v, want %s at %v among %d", r, tt.kind, tt.at, tt.found)
			}
		})
	}
}

func hasAt(r protocol.AuditReport, kind protocol.AuditProblemKind, at Place) bool {
	return slices.ContainsFunc(r.Problems, func(p protocol.AuditProblem) bool {
		return p.Kind == kind && p.Seq == at.Seq && p.Part == at.Part
	}) &&
		!r.OK
}

// TestTamperedExportOfBlocksNamesWhat changes the lines of an export: the header, 1, 2.0
// to 2.4 with their seals are its first.
func TestTamperedExportOfBlocksNamesWhat(t *testing.T) {
	t.Parallel()
	tr := mixed(t)
	export := tr.export("acme", Query{}, 0)
	lines := bytes.SplitAfter(export, newline)
	at := func(start string) int {
		i := slices.IndexFunc(lines, func(line []byte) bool { return bytes.HasPrefix(line, []byte(start)) })
		if i < 0 {
			t.Fatalf("no line begins with %s:\n%s", start, export)
		}
		return i
	}
	third := at(`{"seq":2,"part":3,`)
	for _, tt := range []struct {
		name   string
		change func([][]byte) [][]byte
		kind   protocol.AuditProblemKind
		at     Place
	}{
		{"changed", func(l [][]byte) [][]byte { l[third][60] ^= 1; return l }, protocol.ProblemChanged, Place{2, 3}},
		{"missing", without[[]byte](third, 1), protocol.ProblemMissing, Place{2, 3}},
		{"twice", func(l [][]byte) [][]byte { return slices.Insert(l, third, bytes.Clone(l[third])) }, protocol.ProblemAdded, Place{2, 3}},
		{"swapped", func(l [][]byte) [][]byte { l[third], l[third-1] = l[third-1], l[third]; return l }, protocol.ProblemReordered, Place{2, 2}},
		{"another part", func(l [][]byte) [][]byte {
			l[third] = bytes.Replace(l[third], []byte(`"part":3`), []byte(`"part":7`), 1)
			return l
		}, protocol.ProblemReordered, Place{2, 7}},
		{"no part", func(l [][]byte) [][]byte {
			l[third] = bytes.Replace(l[third], []byte(`"part":3,`), nil, 1)
			return l
		}, protocol.ProblemMissing, Place{2, 3}},
		{"part 0", func(l [][]byte) [][]byte {
			l[third] = bytes.Replace(l[third], []byte(`"part":3`), []byte(`"part":0`), 1)
			return l
		}, protocol.ProblemChanged, Place{2, 0}},
		{"a part that is too high", func(l [][]byte) [][]byte {
			l[third] = bytes.Replace(l[third], []byte(`"part":3`), []byte(`"part":1000`), 1)
			return l
		}, protocol.ProblemChanged, Place{2, 0}},
		{"the last line missing", without[[]byte](at(`{"seq":7,"part":5,`), 1), protocol.ProblemCutOff, Place{7, 5}},
		{"said to be of version 1", func(l [][]byte) [][]byte {
			l[0] = bytes.Replace(l[0], []byte(`export":2`), []byte(`export":1`), 1)
			return l
		}, protocol.ProblemMissing, Place{2, 3}},
		{"said to be of version 3", func(l [][]byte) [][]byte {
			l[0] = bytes.Replace(l[0], []byte(`export":2`), []byte(`export":3`), 1)
			return l
		}, protocol.ProblemChanged, Place{}},
	} {
		changed := make([][]byte, len(lines))
		for i, line := range lines {
			changed[i] = bytes.Clone(line)
		}
		if r := tr.verifyFile(bytes.Join(tt.change(changed), nil)); !hasAt(r, tt.kind, tt.at) {
			t.Errorf("%s: report %+v, want %s at %v", tt.name, r, tt.kind, tt.at)
		}
	}
}

// TestLostLineHidesNoLostMessage checks that lines that are missing from a block are not
// taken for messages that the server counts.
func TestLostLineHidesNoLostMessage(t *testing.T) {
	t.Parallel()
	tr := mixed(t)
	tr.record("acme", 8) // message 8, which is not sealed
	v := tr.verifier()
	v.Source = &twisted{tr.src, tr.sls, func(all []Message) []Message {
		all = slices.DeleteFunc(all, func(m Message) bool { return m.Seq == 8 })
		if len(all) == 0 || all[0].Seq != 1 {
			return all
		}
		return relined(1, without[[]byte](0, 1))(all)
	}, nil}
	r, err := v.Verify(t.Context(), "acme", Range{})
	if err != nil || !hasAt(r, protocol.ProblemMissing, Place{2, 0}) || !hasAt(r, protocol.ProblemMissing, Place{8, 0}) || r.Found != 2 {
		t.Errorf("report %+v, %v, want line 2.0 and message 8 as missing", r, err)
	}
}
