package stream_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/helve-dev/helve/internal/audit/stream"
	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
)

func TestFirstSealOfANumberStands(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t))
	ctx := queuetest.Context(t)
	if err := stream.On(q.Conn).WriteSeal(ctx, "acme", 1, []byte("first")); err != nil {
		t.Fatal(err)
	}
	if err := stream.On(q.Conn).WriteSeal(ctx, "acme", 1, []byte("second")); !errors.Is(err, natsio.ErrExists) {
		t.Errorf("WriteSeal of a number that is taken = %v, want ErrExists", err)
	}
	if err := stream.On(q.Conn).WriteSeal(ctx, "other", 1, []byte("theirs")); err != nil {
		t.Errorf("WriteSeal of another tenant = %v", err)
	}
	for tenant, want := range map[string]string{"acme": "first", "other": "theirs"} {
		if got, err := stream.On(q.Conn).Seal(ctx, tenant, 1); string(got) != want || err != nil {
			t.Errorf("Seal(%s, 1) = %q, %v, want %q", tenant, got, err, want)
		}
	}
	if got, err := stream.On(q.Conn).Seal(ctx, "acme", 2); got != nil || err != nil {
		t.Errorf("Seal that is not there = %q, %v, want nil, nil", got, err)
	}
}

func TestSealsComeInTheOrderOfWriting(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t))
	ctx := queuetest.Context(t)
	if got, err := stream.On(q.Conn).LastSeal(ctx, "acme"); got != nil || err != nil {
		t.Errorf("LastSeal of none = %q, %v, want nil, nil", got, err)
	}
	const n = 70 // more than are asked for at a time
	for i := range uint64(n) {
		if err := stream.On(q.Conn).WriteSeal(ctx, "acme", i+1, fmt.Append(nil, "seal ", i+1)); err != nil {
			t.Fatal(err)
		}
		if err := stream.On(q.Conn).WriteSeal(ctx, "other", i+1, nil); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := stream.On(q.Conn).LastSeal(ctx, "acme"); string(got) != "seal 70" || err != nil {
		t.Errorf("LastSeal = %q, %v, want seal 70", got, err)
	}
	for _, from := range []uint64{0, 1, 69, 71} {
		var got, want []uint64
		for i := max(from, 1); i <= n; i++ {
			want = append(want, i)
		}
		err := stream.On(q.Conn).Seals(ctx, "acme", from, func(i uint64, data []byte) error {
			got = append(got, i)
			if string(data) != fmt.Sprint("seal ", i) {
				t.Errorf("seal %d is %q", i, data)
			}
			return nil
		})
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("Seals from %d = %v, %v, want %v", from, got, err, want)
		}
	}
	wrong := errors.New("wrong")
	if err := stream.On(q.Conn).Seals(ctx, "acme", 0, func(uint64, []byte) error { return wrong }); !errors.Is(err, wrong) {
		t.Errorf("Seals = %v, want the reader's error", err)
	}
}
