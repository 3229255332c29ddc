package calls

import (
	"strings"
	"sync"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/helve-dev/helve/client"
	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/protocol"
)

// bury puts a message on the queue that no worker can read, and waits until it is a dead
// letter.
func bury(t *testing.T, s *system.System, c *client.Client, subject, body string) client.DeadLetter {
	t.Helper()
	before, err := c.Dead(system.Context(t), 0, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Conn.Publish(subject, []byte(body)); err != nil {
		t.Fatal(err)
	}
	var list client.DeadList
	system.Eventually(t, "the message is a dead letter", func() bool {
		list, err = c.Dead(system.Context(t), 0, "")
		return err == nil && len(list.Dead) == len(before.Dead)+1
	})
	return list.Dead[len(list.Dead)-1]
}

// TestDeadLetters: they are listed and shown without arguments, requeued once however many
// ask at the same time, and dropped; a call that may have had its effect needs force.
func TestDeadLetters(t *testing.T) {
	t.Parallel()
	s := system.Launch(t, system.Plan{})
	web, bus := operator(t, s, s.URLs[0]), operator(t, s, s.Config.NATS.URL)
	const queue = "helve.v1.default.call.default."

	unreadable := bury(t, s, web, queue+"debug.echo", "s3cret")
	if unreadable.Tool != "" || !strings.Contains(unreadable.Reason, "not a call") || unreadable.Pool != "default" || unreadable.Bytes != 6 {
		t.Errorf("an unreadable letter is %+v", unreadable)
	}
	shown, err := bus.DeadLetter(system.Context(t), unreadable.Seq)
	if err != nil || !strings.Contains(shown.Risk, "second time") || shown.Subject != queue+"debug.echo" {
		t.Errorf("it is shown as %+v, %v", shown, err)
	}
	if _, err := web.RequeueDead(system.Context(t), unreadable.Seq, false); !isType(err, client.Conflict) ||
		!strings.Contains(err.Error(), "may happen a second time") {
		t.Errorf("requeue without force: %v", err)
	}
	if _, err := web.RequeueDead(system.Context(t), unreadable.Seq, true); err != nil {
		t.Errorf("requeue with force: %v", err)
	}
	var again client.DeadLetter
	system.Eventually(t, "it is a dead letter again", func() bool {
		list, err := web.Dead(system.Context(t), 0, "")
		if err == nil && len(list.Dead) == 1 {
			again = list.Dead[0]
		}
		return again.Seq > unreadable.Seq
	})
	if err := bus.DropDead(system.Context(t), again.Seq); err != nil {
		t.Fatal(err)
	}
	if err := web.DropDead(system.Context(t), again.Seq); !isType(err, client.NotFound) {
		t.Errorf("second drop: %v", err)
	}

	// A call whose subject names another tool was set aside; it is put right by hand.
	const call = `{"call_id":"d1","trace_id":"t","tool":"debug.effect","origin":"d-1","arguments":{"key":"s3cret"},"accepted_ms":1,"start_by_ms":1}`
	old := bury(t, s, web, queue+"debug.echo", call)
	if shown, err = web.DeadLetter(system.Context(t), old.Seq); err != nil || shown.CallID != "d1" ||
		!strings.Contains(shown.Risk, "second time") {
		t.Errorf("an old call with effects is shown as %+v, %v", shown, err)
	}
	if err := web.DropDead(system.Context(t), old.Seq); err != nil {
		t.Fatal(err)
	}
	calm := bury(t, s, web, queue+"debug.fail",
		strings.NewReplacer("debug.effect", "debug.echo", `"key"`, `"value"`, "d1", "d2").Replace(call))
	if shown, err = web.DeadLetter(system.Context(t), calm.Seq); err != nil || shown.Risk != "" || shown.Result {
		t.Errorf("a call without effects is shown as %+v, %v", shown, err)
	}
	won := make(chan error, 8)
	var all sync.WaitGroup
	for i := range cap(won) {
		all.Go(func() {
			_, err := []*client.Client{web, bus}[i%2].RequeueDead(system.Context(t), calm.Seq, false)
			won <- err
		})
	}
	all.Wait()
	close(won)
	winners := 0
	for err := range won {
		if err == nil {
			winners++
		} else if !isType(err, client.Conflict) && !isType(err, client.NotFound) {
			t.Errorf("a later requeue: %v", err)
		}
	}
	if winners != 1 {
		t.Errorf("%d of 8 requests have requeued the letter", winners)
	}

	page, err := web.AuditQuery(system.Context(t), client.AuditFilter{Phase: string(protocol.AuditDeadChanged)})
	if err != nil || len(page.Records) < 4 || !strings.Contains(page.Records[0].Detail, "by force") {
		t.Errorf("on the trail: %+v, %v", page.Records, err)
	}
	for _, r := range page.Records {
		if strings.Contains(r.Detail, "s3cret") {
			t.Errorf("the record %q holds what the message held", r.Detail)
		}
	}
}

// TestDeadLettersOfOthers: another tenant's letter does not exist, and a letter that names a
// foreign queue is not put there.
func TestDeadLettersOfOthers(t *testing.T) {
	t.Parallel()
	s := system.Launch(t, system.Plan{})
	own, other := operator(t, s, s.URLs[0]), operator(t, s, s.URLs[0], client.WithTenant("acme"))
	letter := bury(t, s, own, "helve.v1.default.call.default.debug.echo", "x")
	if list, err := other.Dead(system.Context(t), 0, ""); err != nil || len(list.Dead) != 0 {
		t.Errorf("another tenant lists %+v, %v", list, err)
	}
	if _, err := other.DeadLetter(system.Context(t), letter.Seq); !isType(err, client.NotFound) {
		t.Errorf("another tenant's show: %v", err)
	}
	if _, err := other.RequeueDead(system.Context(t), letter.Seq, true); !isType(err, client.NotFound) {
		t.Errorf("another tenant's requeue: %v", err)
	}
	if err := other.DropDead(system.Context(t), letter.Seq); !isType(err, client.NotFound) {
		t.Errorf("another tenant's drop: %v", err)
	}
	forged := &nats.Msg{
		Subject: "helve.v1.default.dead.default",
		Data:    []byte("x"),
		Header:  nats.Header{"Helve-Subject": {"helve.v1.acme.call.default.debug.echo"}},
	}
	if err := s.Conn.PublishMsg(forged); err != nil {
		t.Fatal(err)
	}
	var list client.DeadList
	system.Eventually(t, "the forged letter is stored", func() bool {
		list, _ = own.Dead(system.Context(t), 0, "")
		return len(list.Dead) == 2
	})
	if _, err := own.RequeueDead(system.Context(t), list.Dead[1].Seq, true); !isType(err, client.Conflict) ||
		!strings.Contains(err.Error(), "own pool") {
		t.Errorf("requeue onto another tenant's queue: %v", err)
	}
	if page, err := own.Dead(system.Context(t), 1, ""); err != nil || len(page.Dead) != 1 || page.Next == "" {
		t.Errorf("the first page is %+v, %v", page, err)
	} else if page, err = own.Dead(system.Context(t), 1, page.Next); err != nil || page.Dead[0].Seq != list.Dead[1].Seq {
		t.Errorf("the second page is %+v, %v", page, err)
	}
}
