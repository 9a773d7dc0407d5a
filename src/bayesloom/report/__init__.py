"""Results for people: one page of HTML or Markdown, with a drawing.

``page``     the report
``drawing``  the network as SVG
"""
