package natsauth

import (
	"bytes"
	"fmt"
	"strings"
)

// NSC returns the commands of nsc that make the accounts and users of the
// server as JWTs, below the operator nsc is set to.
func (s Server) NSC() ([]byte, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	run := func(format string, args ...any) { fmt.Fprintf(&b, "nsc "+format+"\n", args...) }
	fmt.Fprint(&b, "#!/bin/sh -e\n# Made by `helve nats-auth server --format nsc`. Run it in an empty directory, and look at\n# the outcome with `nsc describe account` before you push it.\n")
	run("add account --name %s", ownAccount)
	run("edit account --name %s --js-mem-storage -1 --js-disk-storage -1 --js-streams -1 --js-consumer -1", ownAccount)
	for _, name := range s.Tenants {
		account, service, streams := tenantAccount(name), s.service(name), s.streams(name)
		run("add account --name %s", account)
		run("add export --account %s --private --service --subject '%s' --response-type Singleton --response-threshold %s", ownAccount, service, answerTime)
		run("generate activation --account %s --target-account \"$(nsc describe account %s --field sub | tr -d '\"')\" --subject '%s' --output-file %s.api.tok", ownAccount, account, service, account)
		run("add import --account %s --token %s.api.tok", account, account)
		for i, stream := range streams {
			run("add export --account %s --private --subject '%s'", ownAccount, stream)
			run("generate activation --account %s --target-account \"$(nsc describe account %s --field sub | tr -d '\"')\" --subject '%s' --output-file %s.%d.tok", ownAccount, account, stream, account, i)
			run("add import --account %s --token %s.%d.tok", account, account, i)
		}
	}
	for _, u := range s.Users() {
		may, err := u.Permissions(s.Prefix)
		if err != nil {
			return nil, err
		}
		run("add user --account %s --name %s --allow-pub '%s' --allow-sub '%s' # inbox prefix %s",
			u.Account(), u.Name, strings.Join(may.Publish, ","), strings.Join(may.Subscribe, ","), u.Inbox())
	}
	return b.Bytes(), nil
}
