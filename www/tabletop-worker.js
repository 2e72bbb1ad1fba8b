// The worker runs the same program as the page, which has already fetched and compiled it. The first message names the program.
onmessage = ({ data: { script, module } }) => {
  onmessage = null;
  import(script)
    .then((program) => program.default({ module_or_path: module }))
    // Thrown outside of the promise, the error is reported to the page as the worker's error.
    .catch((error) => setTimeout(() => { throw error; }));
};
