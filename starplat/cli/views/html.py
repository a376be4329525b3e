"""Renders the templates of self-contained HTML pages, which extend `page.html.jinja`."""

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from starplat.resources import template_folder


def filled(template: str, **pieces: object) -> str:
    """The page `templates/page/<template>` with these pieces in place, whose text stays text."""
    environment = Environment(
        loader=FileSystemLoader(template_folder("page")),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=True,
    )
    return environment.get_template(template).render(**pieces)
