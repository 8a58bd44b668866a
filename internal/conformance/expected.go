package conformance

import (
	"bufio"
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"gort/tensor"
)

// expectedFailures lists the cases that gort is known not to pass, each with its
// reason. The list may only shrink: a listed case that passes fails the run.
//
//go:embed expected_failures.txt
var expectedFailures []byte

// ExpectedFailures returns the reason by case ID.
func ExpectedFailures() (map[string]string, error) { return ParseExpected(expectedFailures) }

// ParseExpected reads lines of "group/case: reason"; # starts a comment.
func ParseExpected(data []byte) (map[string]string, error) {
	out := map[string]string{}
	sc := bufio.NewScanner(bytes.NewReader(data))
	for no := 1; sc.Scan(); no++ {
		line := strings.TrimSpace(sc.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		id, reason, ok := strings.Cut(line, ":")
		id, reason = strings.TrimSpace(id), strings.TrimSpace(reason)
		if !ok || reason == "" {
			return nil, fmt.Errorf("expected failures, line %d: want \"group/case: reason\"", no)
		}
		if _, twice := out[id]; twice {
			return nil, fmt.Errorf("expected failures, line %d: %s is listed twice", no, id)
		}
		out[id] = reason
	}
	return out, sc.Err()
}

// Status is the outcome of one case against the list of expected failures.
type Status string

// Statuses of cases.
const (
	Pass         Status = "pass"
	Fail         Status = "fail"
	ExpectedFail Status = "expected-fail"
)

// randomPrefix starts the reason of a case whose expected elements come from
// another program's random generator. Only types and shapes of its outputs can be
// checked: other elements are expected, equal ones are chance, and any other
// failure is a failure.
const randomPrefix = "random:"

// Judge turns a case's result into its status. A listed case that passes fails:
// its entry has to go.
func Judge(id string, err error, expected map[string]string) (Status, string) {
	reason, listed := expected[id]
	if strings.HasPrefix(reason, randomPrefix) {
		var mismatch *tensor.MismatchError
		if err == nil || errors.As(err, &mismatch) && mismatch.Count > 0 {
			return ExpectedFail, reason
		}
		return Fail, err.Error()
	}
	switch {
	case err == nil && listed:
		return Fail, "passes, but is listed among the expected failures; remove its entry"
	case err == nil:
		return Pass, ""
	case listed:
		return ExpectedFail, reason
	}
	return Fail, err.Error()
}
