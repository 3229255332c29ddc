// Package gate decides on a worker whether a call runs: it checks policy, confirm token,
// permissions and grants, in that order, for every door.
//
// It promises that the checked arguments are the executed ones: the policy, the person and
// the tool get one value, and the scopes of the call are put on the job for its ports to
// enforce. A call that needs consent is parked, or refused if it names no person to ask. A
// call that needs none costs no message.
//
// It does not promise that the policy is wise, or that revoking a grant stops a call that
// is already past the gate.
package gate
