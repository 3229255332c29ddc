package engine

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
)

// entries is a config center whose account has a new token after the first.
type entries map[string]string

// Entries implements [tool.Secrets].
func (e entries) Entries(context.Context, string) ([]tool.ServiceEntry, error) {
	return []tool.ServiceEntry{{Active: true, Data: e}}, nil
}

// Refresh implements [tool.Refresher].
func (e entries) Refresh(context.Context, string, tool.ServiceEntry) (tool.ServiceEntry, bool, error) {
	return tool.ServiceEntry{Active: true, Data: map[string]string{tool.AccessToken: "token-2"}}, true, nil
}

// TestSecretsInErrors: whatever a provider repeats of the secrets that a tool has read, in the
// run or in its check, neither the message nor the cause has it.
func TestSecretsInErrors(t *testing.T) {
	data := entries{"user": "ann", "password": "hunter2", tool.AccessToken: "token-1"}
	said := fmt.Sprintf("535 no <hunter2>, %s, token-1 token-2", base64.StdEncoding.EncodeToString([]byte("\x00ann\x00hunter2")))
	fails := func(ctx context.Context, call *tool.Call) error {
		list, err := call.Secrets.Entries(ctx, "mail")
		if err != nil {
			return err
		}
		if _, ok, err := tool.RefreshEntry(ctx, call.Secrets, "mail", list[0]); err != nil || !ok {
			return fmt.Errorf("the token was not replaced: %w", err)
		}
		return tool.Fail(tool.NotConfigured, "the server said: %s", said).Because(fmt.Errorf("reply: %w", errors.New(said)))
	}
	run := func(ctx context.Context, call *tool.Call, _ pathArgs) (any, error) { return nil, fails(ctx, call) }
	inRun := running(run, func(s *tool.Spec[pathArgs, any]) { s.Needs = tool.NeedSecrets })
	inCheck := running(run, func(s *tool.Spec[pathArgs, any]) {
		s.Needs = tool.NeedSecrets
		s.Check = func(ctx context.Context, call *tool.Call, _ pathArgs) error { return fails(ctx, call) }
	})
	for name, one := range map[string]*tool.Tool{"run": inRun, "check": inCheck} {
		w := holding(t, one)
		w.secrets = data
		w.execute(t.Context(), job(`{"path":"a"}`))
		if w.last.Err == nil || w.last.Err.Kind != tool.NotConfigured {
			t.Fatalf("%s: the call ended with %v", name, w.last.Err)
		}
		for _, secret := range []string{"hunter2", "token-", "AGFu"} {
			if text := w.last.Err.Error(); strings.Contains(text, secret) {
				t.Errorf("%s: the error shows a secret: %s", name, text)
			}
		}
		for err := errors.Unwrap(w.last.Err); err != nil; err = errors.Unwrap(err) {
			if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%s: a cause shows a secret: %v", name, err)
			}
		}
	}
}
