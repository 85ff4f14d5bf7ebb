package judge

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"
)

// firstExtraFile is the descriptor of the first of exec.Cmd's ExtraFiles.
const firstExtraFile = 3

// court is a Python process that forks one process a job. It is used by one
// goroutine at a time.
type court struct {
	cmd      *exec.Cmd
	jobs     io.WriteCloser
	reader   *os.File
	verdicts *bufio.Reader
	stderr   *limitedBuffer
}

// open starts a process.
func (j *Judge) open() (*court, error) {
	reader, writer, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer writer.Close() // the process has its own
	c := &court{reader: reader, verdicts: bufio.NewReader(reader), stderr: &limitedBuffer{most: 1 << 12}}
	c.cmd = exec.Command(j.python, "-s", "-B", "-c", script, strconv.Itoa(firstExtraFile))
	c.cmd.Dir = j.dir
	c.cmd.Env = []string{"PYTHONHASHSEED=0", "PYTHONIOENCODING=utf-8", "LC_ALL=C.UTF-8"}
	c.cmd.ExtraFiles = []*os.File{writer}
	c.cmd.Stderr = c.stderr
	c.cmd.WaitDelay = time.Second
	isolate(c.cmd, j.offline)
	if c.jobs, err = c.cmd.StdinPipe(); err == nil {
		err = c.cmd.Start()
	}
	if err != nil {
		return nil, errors.Join(err, reader.Close())
	}
	return c, nil
}

// close ends the process, and a job that it has.
func (c *court) close() {
	_ = c.jobs.Close()
	kill(c.cmd)
	_ = c.cmd.Wait()
	_ = c.reader.Close()
}

// line is what the process writes: a verdict, or the end of a job.
type line struct {
	Verdict
	End bool `json:"end"`
}

// try gives the process a job. With an error the verdicts are those that were
// given before, and the process is of no use any more.
func (c *court) try(ctx context.Context, told *job) ([]Verdict, error) {
	stop := context.AfterFunc(ctx, func() { kill(c.cmd) })
	defer stop()
	text, err := json.Marshal(told)
	if err != nil {
		return nil, err
	}
	if _, err := c.jobs.Write(append(text, '\n')); err != nil {
		return nil, c.failed(err)
	}
	var verdicts []Verdict
	for {
		text, err := c.verdicts.ReadBytes('\n')
		if err != nil {
			return verdicts, c.failed(err)
		}
		var l line
		switch err := json.Unmarshal(text, &l); {
		case err != nil:
			return verdicts, fmt.Errorf("read a verdict: %w", err)
		case l.End:
			return verdicts, nil
		case len(verdicts) < len(told.Candidates):
			verdicts = append(verdicts, l.Verdict)
		}
	}
}

// failed tells why a process ended, in its own last words where it has any.
func (c *court) failed(err error) error {
	words := strings.Split(strings.TrimSpace(c.stderr.String()), "\n")
	if last := words[len(words)-1]; last != "" {
		return fmt.Errorf("the judging process ended: %s", last)
	}
	return fmt.Errorf("the judging process ended: %w", err)
}

// limitedBuffer keeps the first bytes of what is written.
type limitedBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
	most int
}

func (b *limitedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.text.Write(p[:max(0, min(len(p), b.most-b.text.Len()))])
	return len(p), nil
}

func (b *limitedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}
