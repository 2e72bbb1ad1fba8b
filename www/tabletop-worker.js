// The worker runs the same program as the page, which has fetched and compiled it already. Its first message says which.
onmessage = ({ data: { script, module } }) => {
  onmessage = null;
  import(script)
    .then((program) => program.default({ module_or_path: module }))
    // Thrown outside of the promise, it reaches the page as the worker's error.
    .catch((error) => setTimeout(() => { throw error; }));
};
