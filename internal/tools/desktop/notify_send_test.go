package desktop

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

// screen passes notifications to the test; the port's own tests use the real bus.
type screen struct {
	tool.Desktop

	shown []tool.Notification
	err   error
}

// Notify implements [tool.Desktop].
func (s *screen) Notify(_ context.Context, n tool.Notification) error {
	s.shown = append(s.shown, n)
	return s.err
}

func TestNotifySend(t *testing.T) {
	s := &screen{}
	tooltest.Run(t, Set, "notify.send", tool.Call{Desktop: s}, []tooltest.Case{
		{Name: "title", Args: `{"title":"Done"}`, Want: `{"sent":true,"title":"Done"}`},
		{Name: "all", Args: `{"title":"Done","body":"All of it.","urgency":"critical"}`, Want: `{"sent":true,"title":"Done"}`},
		{Name: "message", Args: `{"title":"Done","message":"All of it.","urgency":"low"}`, Want: `{"sent":true,"title":"Done"}`},
		{Name: "no title", Args: `{"body":"x"}`, Fails: tool.ValidationError, Message: "title"},
		{Name: "blank title", Args: `{"title":" \n"}`, Fails: tool.ValidationError, Message: "blank"},
		{Name: "two texts", Args: `{"title":"x","body":"a","message":"b"}`, Fails: tool.ValidationError, Message: "two names of one text"},
		{Name: "zero byte", Args: `{"title":"x","body":"a\u0000"}`, Fails: tool.ValidationError, Message: "zero byte"},
		{Name: "urgency", Args: `{"title":"x","urgency":"extreme"}`, Fails: tool.ValidationError, Message: "critical"},
		{Name: "long", Args: `{"title":"` + strings.Repeat("x", 201) + `"}`, Fails: tool.ValidationError, Message: "title"},
	})
	want := []tool.Notification{
		{Title: "Done", Urgency: "normal"}, {Title: "Done", Body: "All of it.", Urgency: "critical"},
		{Title: "Done", Body: "All of it.", Urgency: "low"},
	}
	if diff := cmp.Diff(want, s.shown); diff != "" {
		t.Errorf("shown (-want +got):\n%s", diff)
	}
	tooltest.Run(t, Set, "notify.send", (*desk)(nil).call(t, nil), []tooltest.Case{
		{Name: "headless", Args: `{"title":"x"}`, Fails: tool.NotConfigured, Message: "no desktop session"},
	})
	tooltest.Run(t, Set, "notify.send", tool.Call{Desktop: &screen{err: tool.Fail(tool.ExecutionError, "refused")}}, []tooltest.Case{
		{Name: "refused", Args: `{"title":"x"}`, Fails: tool.ExecutionError, Message: "refused"},
	})
}
