package audit

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"errors"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// rfc6962 is the tree's definition, by recursion.
func rfc6962(leaves []Hash) Hash {
	if len(leaves) == 1 {
		return leaves[0]
	}
	k := 1
	for k*2 < len(leaves) {
		k *= 2
	}
	left, right := rfc6962(leaves[:k]), rfc6962(leaves[k:])
	return sha256.Sum256(slices.Concat([]byte("helve.audit.v1\x01"), left[:], right[:]))
}

func TestRootIsThatOfRFC6962(t *testing.T) {
	t.Parallel()
	var hashes []Hash
	if root(nil) != (Hash{}) {
		t.Error("the root of nothing is not zeros")
	}
	for i := range 70 {
		hashes = append(hashes, leaf(Place{Seq: uint64(i)}, digest(nil)))
		before := slices.Clone(hashes)
		if got, want := root(hashes), rfc6962(hashes); got != want {
			t.Errorf("root of %d leaves = %x, want %x", i+1, got, want)
		}
		if !slices.Equal(before, hashes) {
			t.Fatal("root has changed its leaves")
		}
	}
}

// TestFormatStays: exports are verified years later.
func TestFormatStays(t *testing.T) {
	t.Parallel()
	record := sha256.Sum256([]byte("record"))
	want := sha256.Sum256(slices.Concat([]byte("helve.audit.v1\x00\x00\x00\x00\x00\x00\x00\x00\x07"), record[:]))
	if got := leaf(Place{Seq: 7}, digest([]byte("record"))); got != want {
		t.Errorf("leaf = %x, want %x", got, want)
	}
	line := sha256.Sum256(slices.Concat([]byte("helve.audit.v1\x04"), record[:], []byte("line")))
	if got := link(record, []byte("line")); got != line {
		t.Errorf("link = %x, want %x", got, line)
	}
	var l leaves
	l.add(Place{Seq: 5}, Hash{1})
	l.add(Place{Seq: 300}, Hash{2})
	at := time.Unix(1, 2)
	o := seal("acme", head{N: 3, To: 4, Hash: Hash{9}, Time: time.Unix(0, 5)}, l, at, testKey("sealer"))
	packed := slices.Concat([]byte{1, 1}, make([]byte, 31), []byte{0xa7, 2, 2}, make([]byte, 31))
	if !bytes.Equal(o.Leaves, packed) {
		t.Errorf("leaves = %x, want %x", o.Leaves, packed)
	}
	blob := sha256.Sum256(packed)
	statement := slices.Concat(
		[]byte("helve.audit.v1\x02"), u64(4), u64(5), u64(300), u64(2), o.Root[:], append([]byte{9}, make([]byte, 31)...),
		u64(1_000_000_002), u64(5), blob[:], []byte("\x04acme"), []byte("\x10"+o.KeyID),
	)
	if got := o.statement(); !bytes.Equal(got, statement) {
		t.Errorf("statement = %x, want %x", got, statement)
	}
	if want := sha256.Sum256(slices.Concat([]byte("helve.audit.v1\x03"), statement, o.Signature)); o.hash != want {
		t.Errorf("hash of the seal = %x, want %x", o.hash, want)
	}
}

func u64(n uint64) []byte {
	b := make([]byte, 8)
	for i := range b {
		b[i] = byte(n >> (56 - 8*i))
	}
	return b
}

func TestLeavesComeBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		from := rapid.Uint64Range(1, 1<<40).Draw(t, "from")
		var l leaves
		seq := from - 1
		most := rapid.SampledFrom([]int{1, 5, MaxParts}).Draw(t, "most")
		for _, delta := range rapid.SliceOfN(rapid.Uint64Range(1, 1<<20), 1, 50).Draw(t, "deltas") {
			seq += delta
			for part := range rapid.IntRange(1, most).Draw(t, "parts") {
				l.add(Place{seq, part}, digest(u64(seq+uint64(part))))
			}
		}
		got, err := unpack(l.pack(from), l.version(), from, l.len())
		if err != nil || !slices.Equal(got.places, l.places) || !slices.Equal(got.hashes, l.hashes) {
			t.Fatalf("came back as %v, %v", got, err)
		}
	})
}

func FuzzUnpack(f *testing.F) {
	var l leaves
	l.add(Place{Seq: 1}, Hash{1})
	l.add(Place{Seq: 900}, Hash{2})
	f.Add(l.pack(1), 0, uint64(1), 2)
	f.Add([]byte{0xff, 0xff, 0xff}, 0, uint64(1), 1)
	l.add(Place{900, 1}, Hash{3})
	f.Add(l.pack(1), sealBlocks, uint64(1), 3)
	f.Fuzz(func(t *testing.T, b []byte, version int, from uint64, count int) {
		l, err := unpack(b, version, from, count)
		if err != nil {
			return
		}
		if l.len() != count || !slices.IsSortedFunc(l.places, Place.Compare) || l.places[0].Seq < from ||
			!slices.Equal(slices.Compact(slices.Clone(l.places)), l.places) {
			t.Errorf("unpack(%x, %d, %d, %d) = %v", b, version, from, count, l.places)
		}
	})
}

func TestOpenRefusesWhatIsNotSigned(t *testing.T) {
	t.Parallel()
	key := testKey("sealer")
	var l leaves
	l.add(Place{Seq: 1}, Hash{1})
	good := seal("acme", head{}, l, time.Now(), key)
	data, err := good.encode()
	if err != nil {
		t.Fatal(err)
	}
	o, err := open(data, ring(publicOf(key)))
	if err != nil || o.hash != good.hash || !slices.Equal(o.places, l.places) {
		t.Fatalf("open = %+v, %v", o, err)
	}
	if _, err := open(data, ring(publicOf(testKey("other")))); !errors.Is(err, errForged) {
		t.Errorf("open with another key = %v, want errForged", err)
	}
	for _, text := range []string{"", "{}", "[]", "nothing", `{"seal":1,"key_id":"` + KeyID(publicOf(key)) + `"}`} {
		if _, err := open([]byte(text), ring(publicOf(key))); err == nil {
			t.Errorf("open(%q) has no error", text)
		}
	}
	wrong := seal("acme", head{}, l, time.Now(), key)
	wrong.Root[0] ^= 1 // signed, and yet not the root of its leaves
	wrong.Signature = ed25519.Sign(key, wrong.statement())
	if data, err = wrong.encode(); err != nil {
		t.Fatal(err)
	}
	if _, err := open(data, ring(publicOf(key))); !errors.Is(err, errAltered) {
		t.Errorf("open of a seal with a wrong root = %v, want errAltered", err)
	}
	empty := seal("acme", head{}, l, time.Now(), key)
	empty.Leaves, empty.Count = nil, 0 // signed, and says nothing
	empty.Signature = nil
	if data, err = empty.encode(); err != nil {
		t.Fatal(err)
	}
	if _, err := open(data, ring(publicOf(key))); !errors.Is(err, errAltered) {
		t.Errorf("open of a seal without signature = %v, want errAltered", err)
	}
}
