package identity

import (
	"context"
	"testing"
)

func TestWhoAskedTravels(t *testing.T) {
	t.Parallel()
	if got := Of(context.Background()); got.Called() != "" {
		t.Errorf("where nobody said who asks, it is %+v", got)
	}
	for want, p := range map[string]Principal{
		"u": {User: "u", Agent: "a", Name: "n"}, "a": {Agent: "a", Name: "n"}, "n": {Name: "n"},
	} {
		if got := Of(With(context.Background(), p)).Called(); got != want {
			t.Errorf("%+v is called %q, want %q", p, got, want)
		}
	}
}
