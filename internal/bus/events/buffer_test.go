package events

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func texts(events [][]byte) []string {
	var list []string
	for _, e := range events {
		list = append(list, string(e))
	}
	return list
}

var epoch = time.Unix(1000, 0)

func TestJournalKeepsTracesApartAndInOrder(t *testing.T) {
	j := newBuffer(time.Minute)
	for i := range 200 {
		j.add("acme", fmt.Sprint("t", i%2), epoch, fmt.Append(nil, i))
	}
	for _, other := range [][2]string{{"acme", "nothing"}, {"other", "t1"}, {"acme/t1", ""}} {
		if got := j.of(other[0], other[1], epoch); got != nil {
			t.Errorf("of(%q) = %q, want none", other, got)
		}
	}
	var want []string
	for i := 1; i < 200; i += 2 {
		want = append(want, fmt.Sprint(i))
	}
	if diff := cmp.Diff(want, texts(j.of("acme", "t1", epoch))); diff != "" {
		t.Errorf("of(t1) (-want +got):\n%s", diff)
	}
}

func TestJournalCopies(t *testing.T) {
	j := newBuffer(time.Minute)
	data := []byte("first")
	j.add("a", "t", epoch, data)
	copy(data, "XXXXX")
	got := j.of("a", "t", epoch)
	copy(got[0], "YYYYY")
	if diff := cmp.Diff([]string{"first"}, texts(j.of("a", "t", epoch))); diff != "" {
		t.Errorf("the journal shares memory (-want +got):\n%s", diff)
	}
}

func TestJournalForgetsWhatIsOld(t *testing.T) {
	j := newBuffer(time.Minute)
	j.add("a", "t", epoch, []byte("old"))
	j.add("a", "t", epoch.Add(30*time.Second), []byte("young"))
	for _, tt := range []struct {
		after time.Duration
		want  []string
	}{
		{time.Minute, []string{"old", "young"}},
		{61 * time.Second, []string{"young"}},
		{time.Hour, nil},
	} {
		if diff := cmp.Diff(tt.want, texts(j.of("a", "t", epoch.Add(tt.after)))); diff != "" {
			t.Errorf("after %v (-want +got):\n%s", tt.after, diff)
		}
	}
}

func TestJournalIsBoundedInBytes(t *testing.T) {
	const size = 1000
	j := newBuffer(time.Hour)
	event := make([]byte, size)
	total := 2 * bufferBlocks * blockBytes / size
	for i := range total {
		copy(event, fmt.Sprintf("%08d", i))
		j.add("a", "t", epoch, event)
	}
	got := j.of("a", "t", epoch)
	if most := bufferBlocks * blockBytes / size; len(got) > most {
		t.Errorf("%d events are kept, want at most %d", len(got), most)
	}
	if least := (bufferBlocks - 1) * (blockBytes / size); len(got) < least {
		t.Errorf("%d events are kept, want at least %d: one block is replaced at a time", len(got), least)
	}
	for i, e := range got {
		if want := fmt.Sprintf("%08d", total-len(got)+i); string(e[:8]) != want {
			t.Fatalf("event %d is %s, want %s: the newest in order", i, e[:8], want)
		}
	}
	held := 0
	for _, b := range j.blocks {
		held += cap(b.data)
	}
	if held > bufferBlocks*blockBytes {
		t.Errorf("the journal holds %d bytes, want at most %d", held, bufferBlocks*blockBytes)
	}
}

func TestJournalLeavesOutWhatIsLargerThanABlock(t *testing.T) {
	j := newBuffer(time.Hour)
	j.add("a", "t", epoch, make([]byte, blockBytes+1))
	j.add("a", "t", epoch, make([]byte, blockBytes))
	got := j.of("a", "t", epoch)
	if len(got) != 1 || len(got[0]) != blockBytes {
		t.Errorf("%d events are kept, want the one that fills a block", len(got))
	}
}
